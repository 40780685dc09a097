# truewatt_layer(NAME [USES layer...] [EXTERNAL target...] [SOURCES file...]
#                [TESTS file...] [RECORDED_TESTS file...] [REALTIME_TESTS file...] [SLOW_TESTS file...]
#                [BENCHMARKS file...] [FUZZERS file...])
#
# One layer is one static library, truewatt::NAME. USES names the layers it may include; base is
# always there. Edges are private on purpose: a layer that needs another names it itself, and
# scripts/check_layers.py fails the build for an #include that the table does not allow.
# A layer without SOURCES is header-only. Tests sit beside the sources; their label follows the list.
# BENCHMARKS become one executable, truewatt_NAME_bench, in bench/. FUZZERS become one executable
# each, bin/truewatt_fuzz_STEM for STEM_fuzz.cpp, in the preset `fuzz`.
add_library(truewatt_options INTERFACE)
target_include_directories(truewatt_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(truewatt_options INTERFACE TRUEWATT_VERSION="${PROJECT_VERSION}")
# Designated initializers leave out what keeps its default, so -Wmissing-field-initializers is off.
target_compile_options(truewatt_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Wnon-virtual-dtor
  -Woverloaded-virtual)
# gcc 12 takes a string appended to a literal for overlapping memory (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(truewatt_options INTERFACE -Wno-restrict)
endif()
# Of several sources in one unit gcc takes all but the first for headers.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(truewatt_options INTERFACE -Wno-subobject-linkage)
endif()
if(TRUEWATT_WERROR)
  target_compile_options(truewatt_options INTERFACE -Werror)
endif()
if(TRUEWATT_SANITIZE)
  target_compile_options(truewatt_options INTERFACE
    -fsanitize=${TRUEWATT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # The checks of every pointer's use double what a source takes to compile; what a null pointer or
  # a wrong object leads to, the address sanitizer finds.
  target_compile_options(truewatt_options INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
  target_link_options(truewatt_options INTERFACE -fsanitize=${TRUEWATT_SANITIZE})
endif()

# A test that takes longer hangs; a sanitizer costs ten to twenty times the time, and surveys (label
# slow) take a minute or two.
set(TRUEWATT_TEST_TIMEOUT 300)
if(TRUEWATT_SANITIZE)
  set(TRUEWATT_TEST_TIMEOUT 1500)
endif()

# What runs a test that lives in real time: again where the machine was late, and it may skip.
set(TRUEWATT_AGAIN_WHEN_LATE ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/again_when_late.py)
set(TRUEWATT_REALTIME_PROPERTIES RUN_SERIAL TRUE SKIP_RETURN_CODE 77)

function(truewatt_test_executable target label layer)
  # Real time is not there to be measured while other tests take the processors.
  set(alone "")
  if(label STREQUAL "realtime")
    set(alone ${TRUEWATT_REALTIME_PROPERTIES})
  endif()
  set(timeout ${TRUEWATT_TEST_TIMEOUT})
  if(label STREQUAL "slow")
    set(timeout 400)
  endif()
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE truewatt_options truewatt_${layer} truewatt_fmt
                        GTest::gmock GTest::gtest_main truewatt_rapidcheck)
  if(label STREQUAL "realtime")
    set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "${TRUEWATT_AGAIN_WHEN_LATE}")
  endif()
  target_compile_definitions(${target} PRIVATE TRUEWATT_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  gtest_discover_tests(${target} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${label} TIMEOUT ${timeout} ${alone})
endfunction()

# One executable of google-benchmark files. It goes to bench/ so that bin/ stays the folder that
# people copy; without the library there are no benchmarks.
function(truewatt_benchmark_executable target layer)
  if(NOT TRUEWATT_BENCHMARKS OR NOT benchmark_FOUND)
    return()
  endif()
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench TRUEWATT_SHARED_RUNTIME ON)
  target_link_libraries(${target} PRIVATE truewatt_options truewatt_${layer} truewatt_fmt
                        benchmark::benchmark benchmark::benchmark_main)
endfunction()

# truewatt_fuzz_STEM from STEM_fuzz.cpp, which defines LLVMFuzzerTestOneInput. Further arguments
# are more targets to link.
function(truewatt_fuzz_executable file layer)
  if(NOT TRUEWATT_FUZZERS)
    return()
  endif()
  get_filename_component(stem ${file} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" stem ${stem})
  add_executable(truewatt_fuzz_${stem} ${file})
  target_link_libraries(truewatt_fuzz_${stem} PRIVATE truewatt_options truewatt_${layer}
                        truewatt_fmt ${ARGN})
  target_link_options(truewatt_fuzz_${stem} PRIVATE -fsanitize=fuzzer)
endfunction()

# Makes `truewatt_fuzzers` build every truewatt_fuzz_* target under the folder.
function(truewatt_collect_fuzzers folder)
  if(NOT TRUEWATT_FUZZERS)
    return()
  endif()
  if(NOT TARGET truewatt_fuzzers)
    add_custom_target(truewatt_fuzzers)
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "^truewatt_fuzz_")
  if(targets)
    add_dependencies(truewatt_fuzzers ${targets})
  endif()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    truewatt_collect_fuzzers(${below})
  endforeach()
endfunction()

function(truewatt_layer name)
  cmake_parse_arguments(LAYER "" ""
    "USES;EXTERNAL;SOURCES;TESTS;RECORDED_TESTS;REALTIME_TESTS;SLOW_TESTS;BENCHMARKS;FUZZERS" ${ARGN})
  if(LAYER_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "truewatt_layer(${name}): not understood: ${LAYER_UNPARSED_ARGUMENTS}")
  endif()
  set(links truewatt_options truewatt_fmt ${LAYER_EXTERNAL})
  foreach(used base ${LAYER_USES})
    if(NOT used STREQUAL name)
      list(APPEND links truewatt_${used})
    endif()
  endforeach()
  if(LAYER_SOURCES)
    add_library(truewatt_${name} STATIC ${LAYER_SOURCES})
    target_link_libraries(truewatt_${name} PUBLIC ${links})
  else()
    add_library(truewatt_${name} INTERFACE)
    target_link_libraries(truewatt_${name} INTERFACE ${links})
  endif()
  add_library(truewatt::${name} ALIAS truewatt_${name})
  if(LAYER_BENCHMARKS)
    truewatt_benchmark_executable(truewatt_${name}_bench ${name} ${LAYER_BENCHMARKS})
  endif()
  foreach(file ${LAYER_FUZZERS})
    truewatt_fuzz_executable(${file} ${name})
  endforeach()
  if(NOT TRUEWATT_TESTS OR (TRUEWATT_TESTED_LAYERS AND NOT name IN_LIST TRUEWATT_TESTED_LAYERS))
    return()
  endif()
  if(LAYER_TESTS)
    truewatt_test_executable(truewatt_${name}_test unit ${name} ${LAYER_TESTS})
  endif()
  foreach(label recorded realtime slow)
    string(TOUPPER ${label} upper)
    if(LAYER_${upper}_TESTS)
      truewatt_test_executable(truewatt_${name}_${label}_test ${label} ${name} ${LAYER_${upper}_TESTS})
    endif()
  endforeach()
endfunction()
