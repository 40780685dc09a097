# A forbidden #include is a build error: scripts/check_layers.py runs whenever a source, a layer's
# CMakeLists.txt or the table has changed.
if(NOT Python3_FOUND)
  message(STATUS "no python3: the table of layers is not checked")
  return()
endif()
file(GLOB_RECURSE checked CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/truewatt/*.cpp ${CMAKE_SOURCE_DIR}/truewatt/*.hpp
  ${CMAKE_SOURCE_DIR}/truewatt/*.c ${CMAKE_SOURCE_DIR}/truewatt/*.h
  ${CMAKE_SOURCE_DIR}/truewatt/*/CMakeLists.txt
  ${CMAKE_SOURCE_DIR}/tests/*.cpp ${CMAKE_SOURCE_DIR}/tests/*.hpp
  ${CMAKE_SOURCE_DIR}/examples/*.cpp ${CMAKE_SOURCE_DIR}/examples/*.hpp)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/check_layers.stamp
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_layers.py
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/check_layers.stamp
  DEPENDS ${checked} ${CMAKE_SOURCE_DIR}/scripts/check_layers.py ${CMAKE_SOURCE_DIR}/scripts/layers.txt
  COMMENT "Checking the table of layers"
  VERBATIM)
add_custom_target(truewatt_check_layers ALL DEPENDS ${CMAKE_BINARY_DIR}/check_layers.stamp)
