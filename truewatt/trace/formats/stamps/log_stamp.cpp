#include "truewatt/trace/formats/stamps/log_stamp.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

using std::chrono::minutes;

/// A run of exactly `kLength` digits as a number, taken off the front of `text`. Rows are many:
/// what the compiler knows of the length saves half of a stamp's time.
template <std::size_t kLength>
std::optional<int> take_digits(std::string_view& text) {
  if (text.size() < kLength) return std::nullopt;
  int value = 0;
  bool are_digits = true;
  for (std::size_t i = 0; i < kLength; ++i) {
    const int digit = text[i] - '0';
    are_digits &= digit >= 0 && digit <= 9;
    value = value * 10 + digit;
  }
  if (!are_digits) return std::nullopt;
  text.remove_prefix(kLength);
  return value;
}

/// Takes off a character that is one of these.
template <class... Chars>
bool take_any_of(std::string_view& text, Chars... allowed) {
  if (text.empty() || !((text.front() == allowed) || ...)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> day_of(int year, int month, int day) {
  if (year < 1970 || year > 2099) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const auto year = take_digits<4>(text);
  if (!year) return std::nullopt;
  const bool separated = take_any_of(text, '/', '-');
  const auto month = take_digits<2>(text);
  if (!month || take_any_of(text, '/', '-') != separated) return std::nullopt;
  const auto day = take_digits<2>(text);
  if (!day) return std::nullopt;
  return day_of(*year, *month, *day);
}

/// What stands behind the whole seconds: nothing, or a point or comma and digits. Those beyond the
/// ninth are dropped.
std::optional<Nanoseconds> take_fraction(std::string_view& text) {
  if (!take_any_of(text, '.', ',')) return Nanoseconds(0);
  std::int64_t value = 0;
  std::int64_t unit = 1'000'000'000;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    unit /= 10;
    value += unit * (text[digits] - '0');
  }
  text.remove_prefix(digits);
  return Nanoseconds(value);
}

bool has_fraction(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c == '.' || c == ','; });
}

std::optional<Nanoseconds> take_time_of_day(std::string_view& text) {
  const auto hour = take_digits<2>(text);
  if (!hour || !take_any_of(text, ':')) return std::nullopt;
  const auto minute = take_digits<2>(text);
  if (!minute || !take_any_of(text, ':')) return std::nullopt;
  const auto second = take_digits<2>(text);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction) return std::nullopt;
  return std::chrono::hours(*hour) + minutes(*minute) + std::chrono::seconds(*second) + *fraction;
}

struct Zone {
  std::optional<minutes> offset;
};

/// The whole of `text`: nothing, or what says how local time stands to UTC.
std::optional<Zone> parse_zone(std::string_view text) {
  text = trim(text);
  if (text.empty()) return Zone{};
  if (text == "Z" || text == "z" || text == "UTC" || text == "GMT") return Zone{minutes(0)};
  const bool behind = text.front() == '-';
  if (!take_any_of(text, '+', '-')) return std::nullopt;
  const auto hours = take_digits<2>(text);
  take_any_of(text, ':');
  const auto rest = text.empty() ? std::optional(0) : take_digits<2>(text);
  if (!hours || !rest || !text.empty() || *hours > 14 || *rest > 59) return std::nullopt;
  const minutes offset(*hours * 60 + *rest);
  return Zone{behind ? -offset : offset};
}

/// `Tue Mar  4 09:30:00 2025`, as C's ctime and `nvidia-smi -q` write it.
std::optional<LogStamp> parse_ctime(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() < 20 || text[3] != ' ') return std::nullopt;
  text.remove_prefix(4);
  int month = 1;
  for (const std::string_view name : kMonths) {
    if (text.starts_with(name)) break;
    ++month;
  }
  if (month > 12) return std::nullopt;
  text = trim(text.substr(3));
  auto day = take_digits<2>(text);
  if (!day) day = take_digits<1>(text);
  if (!day || !take_any_of(text, ' ')) return std::nullopt;
  const bool is_cut = !has_fraction(text);
  const auto time = take_time_of_day(text);
  const auto year = parse_integer<int>(trim(text));
  if (!time || !year) return std::nullopt;
  const auto date = day_of(*year, month, *day);
  if (!date) return std::nullopt;
  return LogStamp{DriverTime(date->time_since_epoch() + *time), std::nullopt, is_cut};
}

}  // namespace

std::optional<LogStamp> parse_dated_stamp(std::string_view cell) {
  if (cell.empty()) return std::nullopt;
  if (cell.front() < '0' || cell.front() > '9') return parse_ctime(cell);
  const auto date = take_date(cell);
  if (!date || !take_any_of(cell, ' ', 'T')) return std::nullopt;
  cell = trim(cell);
  const bool is_cut = !has_fraction(cell);
  const auto time = take_time_of_day(cell);
  if (!time) return std::nullopt;
  const auto zone = parse_zone(cell);
  if (!zone) return std::nullopt;
  const DriverTime local(date->time_since_epoch() + *time);
  return LogStamp{local - zone->offset.value_or(minutes(0)), zone->offset, is_cut};
}

std::optional<LogStamp> parse_log_stamp(std::string_view cell) {
  if (const auto dated = parse_dated_stamp(cell)) return dated;
  const auto number = parse_number(cell);
  if (!number || *number < 0.0) return std::nullopt;
  constexpr double kFrom = 1e9;     // the year 2001
  constexpr double kUntil = 4.1e9;  // the year 2099
  if (*number < kFrom) {
    const auto seconds = parse_seconds(cell);
    if (!seconds) return std::nullopt;
    return LogStamp{DriverTime(*seconds), std::nullopt};
  }
  std::int64_t scale = 1;
  while (*number / static_cast<double>(scale) >= kUntil && scale < 1'000'000'000) scale *= 1000;
  const double seconds = *number / static_cast<double>(scale);
  if (seconds < kFrom || seconds >= kUntil) return std::nullopt;
  if (scale == 1) {
    const auto exact = parse_seconds(cell);
    if (!exact) return std::nullopt;
    return LogStamp{DriverTime(*exact), minutes(0), !has_fraction(cell)};
  }
  const std::int64_t unit = 1'000'000'000 / scale;
  if (cell.find_first_of("eE") != std::string_view::npos) {
    const double nanoseconds = std::round(*number * static_cast<double>(unit));
    return LogStamp{DriverTime(Nanoseconds(static_cast<std::int64_t>(nanoseconds))), minutes(0)};
  }
  const std::string_view digits = cell.substr(0, cell.find('.'));
  const auto whole = parse_integer<std::int64_t>(digits);
  if (!whole) return std::nullopt;
  const double below = *number >= 9e15 ? 0.0 : *number - static_cast<double>(*whole);
  return LogStamp{DriverTime(Nanoseconds(*whole * unit) + Nanoseconds(static_cast<std::int64_t>(
                                                              below * static_cast<double>(unit)))),
                  minutes(0)};
}

std::optional<LogStamp> LogStampReader::read(std::string_view cell) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!whole_.empty() && cell.starts_with(whole_)) {
    std::string_view rest = cell.substr(whole_.size());
    const bool begins = has_fraction(rest.substr(0, 1));
    const auto fraction = take_fraction(rest);
    if (begins && fraction && rest.empty()) return LogStamp{time_ + *fraction, std::nullopt};
  }
  whole_.clear();
  const auto stamp = parse_log_stamp(cell);
  if (!stamp || stamp->offset) return stamp;
  const std::string_view whole = cell.substr(0, cell.find_first_of(".,"));
  if (whole.empty() || !is_digit(whole.front()) || !is_digit(whole.back())) return stamp;
  const auto dated = parse_dated_stamp(whole);
  if (!dated || dated->offset) return stamp;
  whole_ = whole;
  time_ = dated->time;
  return stamp;
}

}  // namespace truewatt::trace
