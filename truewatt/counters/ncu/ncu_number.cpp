#include "truewatt/counters/ncu/ncu_number.hpp"

#include <algorithm>

#include "truewatt/base/parse.hpp"

namespace truewatt::counters::ncu {
namespace {

constexpr std::string_view kDigits = "0123456789";
// No-break and narrow no-break blank, which some locales put between thousands.
constexpr std::string_view kBlanks[] = {"\xC2\xA0", "\xE2\x80\xAF", " ", "'"};

std::string without(std::string_view text, std::string_view what) {
  std::string rest;
  while (true) {
    const auto at = text.find(what);
    rest += text.substr(0, at);
    if (at == std::string_view::npos) return rest;
    text.remove_prefix(at + what.size());
  }
}

std::string without_blanks(std::string_view text) {
  std::string rest(text);
  for (const auto blank : kBlanks) rest = without(rest, blank);
  return rest;
}

/// Whether the only separator, at `at`, cannot stand before three digits of a group.
bool is_fraction(std::string_view number, std::size_t at) {
  const auto before = number.substr(0, at);
  return number.size() - at - 1 != 3 || before.empty() || before.size() > 3 || before == "0";
}

}  // namespace

std::optional<NumberStyle> style_of(std::string_view text) {
  const auto number = without_blanks(text);
  if (number.empty() || number.find_first_not_of("0123456789.,") != std::string::npos) {
    return std::nullopt;
  }
  const auto points = std::count(number.begin(), number.end(), '.');
  const auto commas = std::count(number.begin(), number.end(), ',');
  if (points > 0 && commas > 0) {
    return number.rfind('.') > number.rfind(',') ? NumberStyle::point : NumberStyle::comma;
  }
  if (commas > 1) return NumberStyle::point;
  if (points > 1) return NumberStyle::comma;
  if (points == 1 && is_fraction(number, number.find('.'))) return NumberStyle::point;
  if (commas == 1 && is_fraction(number, number.find(','))) return NumberStyle::comma;
  return std::nullopt;
}

std::optional<double> parse_count(std::string_view text, NumberStyle style) {
  auto number = without(without_blanks(text), style == NumberStyle::point ? "," : ".");
  if (number.empty() || kDigits.find(number.front()) == std::string_view::npos) return std::nullopt;
  if (style == NumberStyle::comma) std::replace(number.begin(), number.end(), ',', '.');
  return parse_number(number);
}

std::optional<double> unit_scale(std::string_view unit) {
  constexpr std::string_view kCounted[] = {"sector", "byte", "inst", "instruction", "wavefront"};
  constexpr std::pair<char, double> kPrefixes[] = {
      {'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  if (unit.ends_with('s')) unit.remove_suffix(1);
  if (unit.empty()) return 1.0;
  double scale = 1.0;
  for (const auto& [prefix, factor] : kPrefixes) {
    if (unit.front() != prefix) continue;
    scale = factor;
    unit.remove_prefix(1);
    break;
  }
  const bool is_counted =
      std::find(std::begin(kCounted), std::end(kCounted), unit) != std::end(kCounted);
  return is_counted ? std::optional(scale) : std::nullopt;
}

}  // namespace truewatt::counters::ncu
