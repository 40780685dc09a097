#include "truewatt/base/loader_reason.hpp"

#include <fmt/format.h>

#include <utility>

namespace truewatt {
namespace {

constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"No such file", "is not on this machine"},
    {"Permission denied", "may not be read"},
    {"wrong ELF class", "is made for another kind of machine"},
    {"invalid ELF header", "is no library"},
    {"file too short", "is no whole library"},
    {"undefined symbol", "lacks a library of its own version"},
};

}  // namespace

std::string loader_reason(std::string_view said, std::string_view library) {
  const auto colon = said.find(": ");
  const auto file = colon == std::string_view::npos ? library : said.substr(0, colon);
  for (const auto& [what, words] : kReasons) {
    if (said.find(what) != std::string_view::npos) return fmt::format("{} {}", file, words);
  }
  return fmt::format("the system does not load {}", file);
}

}  // namespace truewatt
