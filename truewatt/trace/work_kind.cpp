#include "truewatt/trace/work_kind.hpp"

#include <fmt/format.h>

#include "truewatt/base/parse.hpp"

namespace truewatt {
namespace {

constexpr std::string_view kLevel = "level=";
constexpr std::string_view kCpu = "cpu ";
constexpr std::string_view kBetween = ", ";

}  // namespace

std::string to_string(const WorkKind& kind) {
  std::string text(kind.part == WorkKind::Part::cpu ? kCpu : "");
  text += kind.what;
  if (!kind.level) return text;
  if (!kind.what.empty()) text += kBetween;
  return text + fmt::format("{}{}", kLevel, *kind.level);
}

WorkKind parse_work_kind(std::string_view text) {
  const WorkKind name{.what = std::string(text)};
  const std::size_t begin = text.rfind(kLevel);
  if (begin == std::string_view::npos) return name;
  WorkKind kind{.level = parse_number(text.substr(begin + kLevel.size()))};
  if (!kind.level) return name;
  std::string_view what = text.substr(0, begin);
  if (what.starts_with(kCpu)) {
    kind.part = WorkKind::Part::cpu;
    what.remove_prefix(kCpu.size());
  }
  if (what.empty()) return kind;
  if (!what.ends_with(kBetween)) return name;
  what.remove_suffix(kBetween.size());
  kind.what = std::string(what);
  return kind;
}

}  // namespace truewatt
