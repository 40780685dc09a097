#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/units.hpp"

namespace truewatt::report {

/// Columns that UTF-8 text takes: its code points, which is right for the letters and signs that
/// the reports use.
std::size_t display_width(std::string_view text);
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

/// Text from outside, safe for a terminal: control characters become `?`.
std::string printable(std::string_view text);

/// `text` broken at spaces into lines of at most `width` columns; longer words stand alone, and a
/// number keeps its percent sign.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// `label` and `text` beside it, printable, wrapped at `width` columns and indented below itself.
/// Lines end with a newline.
std::string hanging(std::string_view label, std::string_view text, std::size_t width);

/// A table of text, its cells printable, columns two spaces apart; a column without a single cell
/// in its rows is left out. Lines end with a newline.
struct TextTable {
  std::vector<std::vector<std::string>> head;  ///< header lines
  std::vector<std::vector<std::string>> rows;
  std::size_t left_aligned = 0;  ///< leading columns set flush left; the others flush right ...
  bool ends_with_words = false;  ///< ... but for the last
};
std::string to_text(const TextTable& table, std::string_view indent);

/// A number with so many significant digits and no exponent: 0.01234, 812.4, 81240.
std::string plain(double value, int significant = 4);

/// A value held against another one of the same unit.
struct Comparison {
  double value = 0.0;
  double reference = 0.0;
};
/// `+2.7 %`: by how much the value is above the reference, without a sign where that is 0.00 %.
/// Nothing when the reference is 0.
std::optional<std::string> signed_percent(const Comparison& comparison);

/// `325.0 ms`, `3.000 s`, `4321.0 s`.
std::string duration_text(Seconds duration);
/// `21.4 s`, `540 s`: for durations that are known roughly.
std::string rough_duration(Seconds duration);
/// `2.70 W`, `271.8 W`.
std::string power_text(Watts power);
/// `790.10 J`: five significant digits below 10 kJ, whole joules above; "unknown" when not finite.
std::string energy_text_of(double joules);

/// An interval as format_interval prints it, in two parts: the value with its unit, and what the
/// interval adds (`± 4.1 J (0.50 %)` or `[a, b]`).
struct SplitInterval {
  std::string value;
  std::string spread;
};
SplitInterval split_interval(const Interval& interval, std::string_view unit);
/// `0.9512 ± 0.0041 (0.43 %)`: an interval without a unit.
std::string unitless_text(const Interval& interval);

/// The interval in a unit that is `factor` times smaller: seconds to milliseconds with 1000.
Interval scaled(const Interval& interval, double factor);

}  // namespace truewatt::report
