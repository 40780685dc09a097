# Every outside library, from the distribution's packages (scripts/install_packages.sh names them).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Eigen3 REQUIRED)

# The release is relocatable, so no library stays shared: SQLite is the static archive, and fmt, of
# which the distribution has no archive, is compiled here from its headers. Once, because as a
# header-only library it costs every source one to two seconds.
add_library(truewatt_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_library.cpp)
target_include_directories(truewatt_fmt SYSTEM PUBLIC
  $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)

find_library(TRUEWATT_SQLITE_ARCHIVE libsqlite3.a REQUIRED)
add_library(truewatt_sqlite INTERFACE)
target_include_directories(truewatt_sqlite SYSTEM INTERFACE ${SQLite3_INCLUDE_DIRS})
target_link_libraries(truewatt_sqlite INTERFACE ${TRUEWATT_SQLITE_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS} m)

# Linear algebra, headers only; SYSTEM, because its warnings are not ours.
add_library(truewatt_eigen INTERFACE)
target_include_directories(truewatt_eigen SYSTEM INTERFACE
  $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)

add_library(truewatt_json INTERFACE)
target_link_libraries(truewatt_json INTERFACE nlohmann_json::nlohmann_json)

# toml++ as headers only: its imported target would bring the shared library into the release.
add_library(truewatt_toml INTERFACE)
target_include_directories(truewatt_toml SYSTEM INTERFACE
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)

add_library(truewatt_dl INTERFACE)
target_link_libraries(truewatt_dl INTERFACE ${CMAKE_DL_LIBS})

# Boost.Math's distributions, headers only.
find_path(TRUEWATT_BOOST_INCLUDE boost/math/distributions/students_t.hpp REQUIRED)

if(TRUEWATT_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TRUEWATT_BENCHMARKS)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "google-benchmark is not installed (libbenchmark-dev): no benchmarks")
  endif()
endif()

# The distribution's interpreter, because its packages (python3-jsonschema) belong to it. Only the
# tests and the check of layers need it.
if(EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Interpreter of the tests and checks")
endif()
if(TRUEWATT_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
else()
  find_package(Python3 QUIET COMPONENTS Interpreter)
endif()
