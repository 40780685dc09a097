#include "truewatt/trace/formats/nvidia_smi/dmon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

constexpr std::string_view kAdvice =
    "record with nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -lms 100";

/// The cells between blanks or commas.
void split_words(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view kBetween = " \t,";
  words.clear();
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBetween), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::optional<std::size_t> place_of(const std::vector<std::string_view>& titles,
                                    std::string_view title) {
  const auto found = std::find(titles.begin(), titles.end(), title);
  if (found == titles.end()) return std::nullopt;
  return static_cast<std::size_t>(found - titles.begin());
}

struct DmonColumns {
  std::size_t count = 0;
  std::size_t gpu = 0;
  std::optional<std::size_t> date;
  std::optional<std::size_t> time;
  std::optional<std::size_t> power;
};

/// Of `#Date Time gpu pwr ...`; nothing for another line, that of the units included.
std::optional<DmonColumns> parse_titles(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  std::vector<std::string_view> titles;
  split_words(line.substr(1), titles);
  const auto gpu = place_of(titles, "gpu");
  if (!gpu) return std::nullopt;
  return DmonColumns{titles.size(), *gpu, place_of(titles, "Date"), place_of(titles, "Time"),
                     place_of(titles, "pwr")};
}

bool is_dcgmi(std::string_view line) {
  return line.starts_with("#Entity") || line.starts_with("# Entity");
}

Unexpected refuse(std::string_view what) {
  return Unexpected(Errc::parse, fmt::format("{}; {}", what, kAdvice));
}

class DmonParser {
 public:
  explicit DmonParser(const PowerLogOptions& options) : builder_(options) {}

  Result<PowerLog> parse(std::string_view text) {
    LineReader reader(text);
    while (reader.next()) {
      if (reader.line().empty()) continue;
      if (is_dcgmi(reader.line())) return refuse("dcgmi dmon prints no time of its readings");
      if (const auto titles = parse_titles(reader.line())) columns_ = titles;
      if (reader.line().starts_with('#')) continue;
      if (const auto good = check(); !good) return Unexpected(good.error());
      read_row(reader);
    }
    if (const auto good = check(); !good) return Unexpected(good.error());
    return builder_.finish();
  }

 private:
  Result<void> check() const {
    if (!columns_) return refuse("nvidia-smi dmon: no line '#Date Time gpu pwr' says the columns");
    if (!columns_->date || !columns_->time) {
      return refuse("nvidia-smi dmon: rows have no date and time (dmon -o DT prints them)");
    }
    if (!columns_->power) return refuse("nvidia-smi dmon: no column pwr (dmon -s p prints it)");
    return {};
  }

  void read_row(const LineReader& reader) {
    split_words(reader.line(), cells_);
    const bool cut = !reader.terminated() || cells_.size() < columns_->count;
    if (cut) return builder_.tally().bad(reader.number(), "the line is cut");
    row_.powers.clear();
    row_.fault.clear();
    stamp_.assign(cells_[*columns_->date]).append(" ").append(cells_[*columns_->time]);
    row_.stamp = parse_dated_stamp(stamp_);
    if (!row_.stamp) row_.fault = "the time is " + quote(stamp_);
    const std::string_view gpu = cells_[columns_->gpu];
    const auto index = parse_integer<int>(gpu);
    row_.key.reset();
    if (index && *index >= 0) row_.key = gpu;
    row_.is_unique = true;
    row_.device.index = index.value_or(0);
    read_power(cells_[*columns_->power]);
    builder_.add(row_, reader.number());
  }

  void read_power(std::string_view cell) {
    const SourceId source{SourceKind::power_usage, Scope::gpu};
    static const LogColumn kColumn{LogField::power, source, "pwr", "W"};
    const auto watts = parse_log_number(kColumn, cell);
    const bool answered = cell != "-" && !is_unanswered(cell);
    if (!watts && answered) row_.fault = "pwr is " + quote(cell);
    row_.has_reading = watts.has_value();
    row_.powers.push_back({source, watts, answered ? "unreadable" : "[N/A]"});
  }

  std::optional<DmonColumns> columns_;
  std::vector<std::string_view> cells_;
  std::string stamp_;
  LogRow row_;
  PowerLogBuilder builder_;
};

}  // namespace

bool looks_like_dmon(std::string_view start) {
  LineReader reader(start);
  while (reader.next()) {
    if (is_dcgmi(reader.line()) || parse_titles(reader.line())) return true;
  }
  return false;
}

Result<PowerLog> parse_dmon(std::string_view text, const PowerLogOptions& options) {
  return DmonParser(options).parse(text);
}

}  // namespace truewatt::trace
