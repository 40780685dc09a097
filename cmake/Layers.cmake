# truewatt_layer(NAME [USES layer...] [EXTERNAL target...] [SOURCES file...]
#                [TESTS file...] [RECORDED_TESTS file...] [SLOW_TESTS file...])
#
# One layer is one static library, truewatt::NAME. USES names the layers it may include; base is
# always there. Edges are private on purpose: a layer that needs another names it itself, and
# scripts/check_layers.py fails the build for an #include that the table does not allow.
# A layer without SOURCES is header-only. Tests sit beside the sources; their label follows the list.
add_library(truewatt_options INTERFACE)
target_include_directories(truewatt_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(truewatt_options INTERFACE TRUEWATT_VERSION="${PROJECT_VERSION}")
target_compile_options(truewatt_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Wnon-virtual-dtor
  -Woverloaded-virtual)
if(TRUEWATT_WERROR)
  target_compile_options(truewatt_options INTERFACE -Werror)
endif()
if(TRUEWATT_SANITIZE)
  target_compile_options(truewatt_options INTERFACE -fsanitize=${TRUEWATT_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(truewatt_options INTERFACE -fsanitize=${TRUEWATT_SANITIZE})
endif()

function(truewatt_test_executable target label layer)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE truewatt_options truewatt_${layer} fmt::fmt-header-only
                        GTest::gmock GTest::gtest_main truewatt_rapidcheck)
  target_compile_definitions(${target} PRIVATE TRUEWATT_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 120)
endfunction()

function(truewatt_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;EXTERNAL;SOURCES;TESTS;RECORDED_TESTS;REALTIME_TESTS;SLOW_TESTS" ${ARGN})
  set(links truewatt_options fmt::fmt-header-only ${LAYER_EXTERNAL})
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
  if(NOT TRUEWATT_TESTS)
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
