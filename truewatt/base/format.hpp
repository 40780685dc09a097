#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/time.hpp"

namespace truewatt {

/// So many decimals; what rounds to nothing has no sign.
std::string fixed(double value, int decimals);

/// `143.83 J ± 0.17 J (0.12 %)`: the half-width sets the digits shown of both, two significant
/// ones of the half-width. An asymmetric interval prints its bounds.
std::string format_interval(const Interval& interval, std::string_view unit);

/// `12.97 ± 0.08`, no unit: the half-width, the larger one, sets the digits shown of both. Two
/// significant ones of it, but no more than `most` decimals; what is less is rounded up.
std::string format_plus_minus(const Interval& interval, int most);

/// A value with `significant` digits and an SI prefix: 0.00235 "J" -> `2.35 mJ`.
std::string format_si(double value, std::string_view unit, int significant = 4);

/// The largest SI prefix that is no larger than the value: 2.35e-3 is 2.35 of 1e-3, "m".
struct SiPrefix {
  double factor = 1.0;
  std::string_view symbol;
};
SiPrefix si_prefix(double value);

/// RFC 3339 in UTC with milliseconds: `2026-11-21T02:57:37.123Z`.
std::string format_utc(DriverTime time);
/// What format_utc wrote; absent: anything else.
std::optional<DriverTime> parse_utc(std::string_view text);

}  // namespace truewatt
