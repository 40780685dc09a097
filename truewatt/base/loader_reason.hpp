#pragma once

#include <string>
#include <string_view>

namespace truewatt {

/// Why the loader did not open a shared library, by what dlerror() said ("FILE: reason..."), in
/// words for people: "FILE is not on this machine". `library` stands in where it names no file.
/// Pure.
std::string loader_reason(std::string_view said, std::string_view library);

}  // namespace truewatt
