#include "truewatt/load/level_trace.hpp"

#include <fmt/format.h>

#include <utility>

#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/spec_text.hpp"

namespace truewatt::load {
namespace {

struct Row {
  Seconds time{0};
  double level = 0.0;
};

Unexpected refuse(std::size_t line, std::string_view content, std::string_view why) {
  constexpr std::size_t kShown = 80;
  const bool cut = content.size() > kShown;
  return {Errc::parse, fmt::format("level trace, line {}: '{}{}' {}", line,
                                   content.substr(0, kShown), cut ? "..." : "", why)};
}

/// Cuts the first line off `text`.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

Result<Row> parse_row(std::string_view line, std::size_t number) {
  const auto comma = line.find(',');
  if (comma == std::string_view::npos) return refuse(number, line, "has no comma; give t_s,level");
  const std::optional<double> time = parse_spaced_number(line.substr(0, comma));
  const std::optional<double> level = parse_spaced_number(line.substr(comma + 1));
  if (!time || !level) return refuse(number, line, "is not two finite numbers t_s,level");
  if (*level < 0.0 || *level > 1.0) return refuse(number, line, "has a level outside 0 to 1");
  return Row{Seconds(*time), *level};
}

/// Collects rows into a schedule that begins at the first.
class TraceBuilder {
 public:
  Result<void> add(const Row& row, std::string_view line, std::size_t number) {
    if (!rows_++) origin_ = row.time;
    if (rows_ > kMostSteps + 1) {
      return refuse(number, line, fmt::format("is one row too many; {} are allowed", kMostSteps));
    }
    const Seconds at = row.time - origin_;
    if (rows_ > 1 && !(at - schedule_.duration >= kShortestLoad)) {
      return refuse(number, line, "is not later than the row before; times must increase");
    }
    if (!(at <= kLongestLoad)) return refuse(number, line, "lies more than 24 h after the first");
    append_step(schedule_.steps, {at, row.level});
    schedule_.duration = at;
    return {};
  }

  Result<Schedule> finish() && {
    if (rows_ < 2) {
      return Unexpected(
          Errc::parse,
          fmt::format("level trace: {} rows; at least 2 are needed, a begin and an end", rows_));
    }
    if (schedule_.steps.back().at == schedule_.duration) schedule_.steps.pop_back();
    return std::move(schedule_);
  }

 private:
  Schedule schedule_;
  Seconds origin_{0};
  std::uint64_t rows_ = 0;
};

}  // namespace

Result<Schedule> parse_level_trace(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  TraceBuilder builder;
  bool header_allowed = true;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    if (std::exchange(header_allowed, false) && line == "t_s,level") continue;
    const Result<Row> row = parse_row(line, number);
    if (!row) return Unexpected(row.error());
    if (auto added = builder.add(*row, line, number); !added) return Unexpected(added.error());
  }
  return std::move(builder).finish();
}

}  // namespace truewatt::load
