# cmake -DOUTPUT=assets.cpp -DASSETS="kName=/path;kName=/path+/path" -P embed_assets.cmake
#
# Writes a C++ source that defines the string constants of report/page/assets.hpp from files; several
# files joined by '+' become one constant. Source-map references are dropped: a report asks the
# network for nothing.
set(source "// Made by embed_assets.cmake; do not edit.\n")
string(APPEND source "#include \"truewatt/report/page/assets.hpp\"\n\nnamespace truewatt::report {\n\n")
foreach(asset ${ASSETS})
  string(REGEX MATCH "^([A-Za-z]+)=(.*)$" matched "${asset}")
  set(name "${CMAKE_MATCH_1}")
  string(REPLACE "+" ";" paths "${CMAKE_MATCH_2}")
  set(text "")
  foreach(path ${paths})
    file(READ "${path}" part)
    string(REGEX REPLACE "(//|/\\*)# sourceMappingURL=[^\n]*" "" part "${part}")
    string(APPEND text "${part}\n")
  endforeach()
  string(FIND "${text}" ")TRUEWATT\"" ends_literal)
  string(FIND "${text}" "</script" ends_script)
  if(name MATCHES "Html$")
    set(ends_script -1)
  endif()
  if(NOT ends_literal EQUAL -1 OR NOT ends_script EQUAL -1)
    message(FATAL_ERROR "${path} cannot stand inside a raw string literal or a <script>")
  endif()
  string(APPEND source "const std::string_view ${name} = R\"TRUEWATT(${text})TRUEWATT\";\n\n")
endforeach()
string(APPEND source "}  // namespace truewatt::report\n")
file(WRITE "${OUTPUT}" "${source}")
