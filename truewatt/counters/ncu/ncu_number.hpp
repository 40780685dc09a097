#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace truewatt::counters::ncu {

/// How a number separates thousands and fraction: ncu follows the user's locale.
enum class NumberStyle {
  point,  ///< 1,234,567.8
  comma,  ///< 1.234.567,8
};

/// The style that a number has for certain: "1,234.5" and "0.25", but not "1,234" nor "1.234".
std::optional<NumberStyle> style_of(std::string_view number);

/// A count of 0 or more; blanks, apostrophes and the style's separator stand between thousands.
/// Nothing for "n/a" and other text.
std::optional<double> parse_count(std::string_view number, NumberStyle style);

/// What a count in this unit is multiplied by: 1 for "sector", "inst", "byte" and "", 1000 for
/// "Ksector", 1e6 for "Mbyte". Nothing where the unit is not one of counts ("%", "usecond").
std::optional<double> unit_scale(std::string_view unit);

}  // namespace truewatt::counters::ncu
