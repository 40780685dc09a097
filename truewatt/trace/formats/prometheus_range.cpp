#include "truewatt/trace/formats/prometheus_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

using nlohmann::json;

struct Metric {
  std::string_view name;
  SourceKind kind;
  double scale;  ///< into watts or joules
  double highest;
};
constexpr Metric kMetrics[] = {
    {"DCGM_FI_DEV_POWER_USAGE", SourceKind::power_usage, 1.0, 1e5},
    {"DCGM_FI_DEV_POWER_USAGE_INSTANT", SourceKind::power_instant, 1.0, 1e5},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", SourceKind::energy_counter, 1e-3, 1e15},
};
constexpr double kLatestSeconds = 4.1e9;  // the year 2099

struct Value {
  DriverTime time;
  SourceId source;
  std::optional<double> value;
};

struct Gpu {
  DeviceIdentity device;
  std::vector<Value> values;
  std::vector<SourceId> sources;
};

std::string label(const json& metric, const char* name) {
  const auto found = metric.find(name);
  return found != metric.end() && found->is_string() ? found->get<std::string>() : "";
}

Unexpected refuse(const std::string& what) {
  return Unexpected(Errc::parse,
                    fmt::format("{}; save what Prometheus answers to /api/v1/query_range?query="
                                "DCGM_FI_DEV_POWER_USAGE&start=...&end=...&step=1s",
                                what));
}

class AnswerReader {
 public:
  explicit AnswerReader(const PowerLogOptions& options) : builder_(options) {}

  Result<void> read(const json& answer) {
    if (!answer.is_object()) return refuse("the JSON is no answer of Prometheus");
    const auto data = answer.find("data");
    const json& body = data != answer.end() && data->is_object() ? *data : answer;
    const auto result = body.find("result");
    if (result == body.end() || !result->is_array()) {
      return refuse("the JSON has no 'result' of Prometheus");
    }
    if (label(body, "resultType") != "matrix") {
      return refuse(fmt::format("the answer is {}, not the 'matrix' of a range of time",
                                quote(label(body, "resultType"))));
    }
    for (const json& series : *result) read_series(series);
    return {};
  }

  Result<PowerLog> finish() {
    if (gpus_.empty()) {
      return refuse(others_.empty()
                        ? "the answer has no series"
                        : "the answer has no power or energy of DCGM but " + quote(others_));
    }
    for (auto& [key, gpu] : gpus_) add_rows(key, gpu);
    auto log = builder_.finish();
    if (!log) return log;
    log->notes.emplace_back(
        "Prometheus says what it scraped last: readings are older than their stamps by up to the "
        "scrape interval");
    if (repeated_ > 0) {
      log->notes.push_back(fmt::format(
          "{} series that repeat a GPU's (MIG instances, exporters) were left out", repeated_));
    }
    return log;
  }

 private:
  void read_series(const json& series) {
    const auto metric = series.is_object() ? series.find("metric") : series.end();
    if (!series.is_object() || metric == series.end() || !metric->is_object()) return;
    const auto values = series.find("values");
    if (values == series.end() || !values->is_array()) return;
    const std::string name = label(*metric, "__name__");
    const auto known = std::find_if(std::begin(kMetrics), std::end(kMetrics),
                                    [&name](const Metric& one) { return one.name == name; });
    if (known == std::end(kMetrics)) {
      if (others_.empty()) others_ = name.empty() ? "a series without a name" : name;
      return;
    }
    Gpu& gpu = gpu_of(*metric);
    const SourceId source{known->kind, Scope::gpu};
    if (std::find(gpu.sources.begin(), gpu.sources.end(), source) != gpu.sources.end()) {
      ++repeated_;
      return;
    }
    gpu.sources.push_back(source);
    for (const json& pair : *values) read_value(pair, *known, source, gpu);
  }

  Gpu& gpu_of(const json& metric) {
    const std::string host =
        label(metric, "Hostname").empty() ? label(metric, "hostname") : label(metric, "Hostname");
    const std::string uuid = label(metric, "UUID");
    const std::string index = label(metric, "gpu");
    const std::string key = host + "/" + (uuid.empty() ? index : uuid);
    const auto [found, is_new] = by_key_.try_emplace(key, gpus_.size());
    if (!is_new) return gpus_[found->second].second;
    Gpu gpu;
    gpu.device.index = std::clamp(parse_integer<int>(index).value_or(0), 0, 4095);
    gpu.device.uuid = uuid;
    gpu.device.name = label(metric, "modelName");
    gpu.device.pci = label(metric, "pci_bus_id");
    gpu.device.driver = label(metric, "DCGM_FI_DRIVER_VERSION");
    return gpus_.emplace_back(key, std::move(gpu)).second;
  }

  void read_value(const json& pair, const Metric& metric, SourceId source, Gpu& gpu) {
    ++values_;
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number();
    const double seconds = is_pair ? pair[0].get<double>() : -1.0;
    if (!(seconds >= 0.0 && seconds < kLatestSeconds)) {
      return builder_.tally().bad(values_, "is no pair of time and value");
    }
    const auto number =
        pair[1].is_string() ? parse_number(pair[1].get_ref<const std::string&>()) : std::nullopt;
    const bool good = number && *number >= 0.0 && *number <= metric.highest;
    // Prometheus counts milliseconds.
    const DriverTime time(std::chrono::milliseconds(std::llround(seconds * 1e3)));
    gpu.values.push_back(
        {time, source, good ? std::optional(*number * metric.scale) : std::nullopt});
  }

  void add_rows(const std::string& key, Gpu& gpu) {
    std::stable_sort(gpu.values.begin(), gpu.values.end(),
                     [](const Value& a, const Value& b) { return a.time < b.time; });
    LogRow row;
    row.device = gpu.device;
    row.key = key;
    row.is_unique = true;
    for (std::size_t i = 0; i < gpu.values.size();) {
      const DriverTime time = gpu.values[i].time;
      row.stamp = LogStamp{time, std::chrono::minutes(0)};
      row.powers.clear();
      row.has_reading = false;
      for (; i < gpu.values.size() && gpu.values[i].time == time; ++i) {
        const auto& value = gpu.values[i].value;
        row.powers.push_back({gpu.values[i].source, value, value ? "" : "NaN"});
        row.has_reading = row.has_reading || value;
      }
      builder_.add(row, ++rows_);
    }
  }

  std::vector<std::pair<std::string, Gpu>> gpus_;
  std::map<std::string, std::size_t> by_key_;
  std::string others_;
  std::size_t repeated_ = 0;
  std::size_t values_ = 0;
  std::size_t rows_ = 0;
  PowerLogBuilder builder_;
};

}  // namespace

bool looks_like_prometheus(std::string_view start) {
  start = trim(start);
  return (start.starts_with('{') || start.starts_with('[')) &&
         start.find("\"resultType\"") != std::string_view::npos;
}

Result<PowerLog> parse_prometheus(std::string_view text, const PowerLogOptions& options) {
  const json document = json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded()) return refuse("the JSON is broken or was cut");
  AnswerReader reader(options);
  if (document.is_array()) {
    for (const json& answer : document) {
      if (const auto good = reader.read(answer); !good) return Unexpected(good.error());
    }
  } else if (const auto good = reader.read(document); !good) {
    return Unexpected(good.error());
  }
  return reader.finish();
}

}  // namespace truewatt::trace
