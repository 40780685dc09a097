#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

constexpr std::string_view kBlock = "NVSMI LOG";

/// The title of the same answer in a CSV log, after which it is read.
struct Answer {
  std::string_view key;
  LogField field;
  std::optional<SourceKind> kind{};
};
constexpr Answer kAnswers[] = {
    {"Power Draw", LogField::power, SourceKind::power_usage},
    {"Average Power Draw", LogField::power, SourceKind::power_average},
    {"Instantaneous Power Draw", LogField::power, SourceKind::power_instant},
    {"Power Limit", LogField::power_limit},
    {"Current Power Limit", LogField::power_limit},
    {"Max Power Limit", LogField::power_limit},
};

Scope scope_of(std::string_view section) {
  if (section.starts_with("Module")) return Scope::module;
  return section.starts_with("GPU Memory") ? Scope::memory : Scope::gpu;
}

class QueryParser {
 public:
  explicit QueryParser(const PowerLogOptions& options) : builder_(options) {}

  Result<PowerLog> parse(std::string_view text) {
    LineReader reader(text);
    while (reader.next()) {
      if (reader.terminated()) read_line(reader);
    }
    end_gpu();
    return builder_.finish();
  }

 private:
  void read_line(const LineReader& reader) {
    const std::string_view line = reader.line();
    if (line.find(kBlock) != std::string_view::npos) {
      end_gpu();
      stamp_.reset();
      index_ = 0;
      return;
    }
    // A bus id holds colons; blanks are about those between key and answer alone.
    if (line.starts_with("GPU ") && line.find(" : ") == std::string_view::npos &&
        line.find(':') != std::string_view::npos) {
      return begin_gpu(trim(line.substr(4)), reader.number());
    }
    const std::size_t colon = line.find(" : ");
    if (colon == std::string_view::npos) {
      section_ = line;
      return;
    }
    read_answer(trim(line.substr(0, colon)), trim(line.substr(colon + 3)));
  }

  void read_answer(std::string_view key, std::string_view cell) {
    if (key == "Timestamp") stamp_ = parse_dated_stamp(cell);
    if (key == "Driver Version") driver_ = cell;
    if (!in_gpu_) return;
    if (key == "Product Name") row_.device.name = cell;
    if (key == "GPU UUID") row_.device.uuid = cell;
    for (const Answer& answer : kAnswers) {
      if (answer.key == key) read_watts(answer, cell);
    }
  }

  void read_watts(const Answer& answer, std::string_view cell) {
    const LogColumn column{answer.field, std::nullopt, std::string(answer.key), "W"};
    const auto watts = parse_log_number(column, cell);
    if (!watts && !is_unanswered(cell)) {
      row_.fault = fmt::format("{} is {}", answer.key, quote(cell));
    }
    const Scope scope = scope_of(section_);
    if (!answer.kind) {
      if (watts && scope == Scope::gpu) {
        row_.device.power_limit =
            std::max(row_.device.power_limit.value_or(Watts(0)), Watts(*watts));
      }
      return;
    }
    const SourceId source{*answer.kind, scope};
    for (const PowerCell& power : row_.powers) {
      if (power.source == source) return;
    }
    row_.has_reading = row_.has_reading || watts.has_value();
    row_.powers.push_back({source, watts, is_unanswered(cell) ? cell : "unreadable"});
  }

  void begin_gpu(std::string_view bus_id, std::size_t line) {
    end_gpu();
    in_gpu_ = true;
    line_ = line;
    row_ = {};
    row_.stamp = stamp_;
    row_.key = bus_id;
    row_.is_unique = true;
    row_.device.pci = bus_id;
    row_.device.driver = driver_;
    row_.device.index = index_++;
    section_ = {};
  }

  void end_gpu() {
    if (in_gpu_) builder_.add(row_, line_);
    in_gpu_ = false;
  }

  std::optional<LogStamp> stamp_;
  std::string_view section_;
  std::string_view driver_;
  bool in_gpu_ = false;
  int index_ = 0;
  std::size_t line_ = 0;
  LogRow row_;
  PowerLogBuilder builder_;
};

}  // namespace

bool looks_like_nvidia_smi_query(std::string_view start) {
  return start.find("==NVSMI LOG==") != std::string_view::npos;
}

Result<PowerLog> parse_nvidia_smi_query(std::string_view text, const PowerLogOptions& options) {
  return QueryParser(options).parse(text);
}

}  // namespace truewatt::trace
