#include "truewatt/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace truewatt {
namespace {

/// Decimals that show `significant` digits of a positive number.
int decimals_for(double value, int significant) {
  if (!(value > 0) || !std::isfinite(value)) return significant;
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  return std::clamp(significant - 1 - exponent, 0, 12);
}

}  // namespace

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_nothing = text.find_first_of("123456789") == std::string::npos;
  if (is_nothing && std::isfinite(value) && text.starts_with('-')) text.erase(0, 1);
  return text;
}

std::string format_interval(const Interval& interval, std::string_view unit) {
  const double below = interval.value - interval.lower;
  const double above = interval.upper - interval.value;
  const double half = std::max(below, above);
  const int decimals = decimals_for(half, 2);
  if (std::abs(above - below) > 0.02 * half) {
    return fmt::format("{} {} [{}, {}]", fixed(interval.value, decimals), unit,
                       fixed(interval.lower, decimals), fixed(interval.upper, decimals));
  }
  std::string text = fmt::format("{} {} ± {:.{}f} {}", fixed(interval.value, decimals), unit, half,
                                 decimals, unit);
  // A share of what may be nothing says nothing.
  if (interval.lower > 0.0 || interval.upper < 0.0) {
    const double percent = 100.0 * half / std::abs(interval.value);
    text += fmt::format(" ({:.{}f} %)", percent, decimals_for(percent, 2));
  }
  return text;
}

std::string format_plus_minus(const Interval& interval, int most) {
  const double half = std::max(interval.upper - interval.value, interval.value - interval.lower);
  const int enough = decimals_for(half, 2);
  const int decimals = std::min(enough, most);
  const double unit = std::pow(10.0, -decimals);
  const double shown = enough > most ? unit * std::ceil(half / unit) : half;
  return fmt::format("{} ± {:.{}f}", fixed(interval.value, decimals), shown, decimals);
}

SiPrefix si_prefix(double value) {
  static constexpr std::array<SiPrefix, 10> kPrefixes = {{{1e12, "T"},
                                                          {1e9, "G"},
                                                          {1e6, "M"},
                                                          {1e3, "k"},
                                                          {1.0, ""},
                                                          {1e-3, "m"},
                                                          {1e-6, "µ"},
                                                          {1e-9, "n"},
                                                          {1e-12, "p"},
                                                          {1e-15, "f"}}};
  if (value == 0.0 || !std::isfinite(value)) return {};
  const double magnitude = std::abs(value);
  return *std::find_if(kPrefixes.begin(), kPrefixes.end() - 1, [magnitude](const SiPrefix& p) {
    return magnitude >= p.factor * 0.9999999;
  });
}

std::string format_si(double value, std::string_view unit, int significant) {
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{} {}", value, unit);
  const SiPrefix prefix = si_prefix(value);
  const double scaled = value / prefix.factor;
  return fmt::format("{:.{}f} {}{}", scaled, decimals_for(std::abs(scaled), significant),
                     prefix.symbol, unit);
}

std::string format_utc(DriverTime time) {
  const auto ns = count_ns(time);
  auto seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  auto millis = static_cast<int>((ns % 1'000'000'000) / 1'000'000);
  if (millis < 0) {
    --seconds;
    millis += 1000;
  }
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, millis);
}

std::optional<DriverTime> parse_utc(std::string_view text) {
  std::tm utc{};
  int millis = 0;
  const int read =
      std::sscanf(std::string(text).c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &utc.tm_year,
                  &utc.tm_mon, &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &millis);
  constexpr int kFields = 7;
  constexpr int kLastYear = 2200;  // of those that nanoseconds in 64 bits hold
  if (read != kFields || utc.tm_year < 1900 || utc.tm_year > kLastYear) return std::nullopt;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  const DriverTime time(std::chrono::seconds(timegm(&utc)) + std::chrono::milliseconds(millis));
  return format_utc(time) == text ? std::optional(time) : std::nullopt;
}

}  // namespace truewatt
