#include "truewatt/trace/formats/tools/prometheus_range.hpp"

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
};
constexpr Metric kMetrics[] = {
    {"DCGM_FI_DEV_POWER_USAGE", SourceKind::power_usage},
    {"DCGM_FI_DEV_POWER_USAGE_INSTANT", SourceKind::power_instant},
};
/// Joules shift by power times the age of a reading, which nothing tells.
constexpr std::string_view kCounter = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";
constexpr double kHighestWatts = 1e5;
/// How often dcgm-exporter collects unless it is told otherwise (its option -c).
constexpr Nanoseconds kCollected = std::chrono::seconds(30);
constexpr double kLatestSeconds = 4.1e9;  // the year 2099

struct Value {
  DriverTime time;
  SourceId source;
  std::optional<double> value;
};

struct Gpu {
  DeviceIdentity device;
  std::map<SourceId, std::vector<Value>> read{};  ///< in order of time, one a time
};

bool is_earlier(const Value& a, const Value& b) { return a.time < b.time; }

/// Adds what is of other times than what is there. False if nothing is.
bool join(std::vector<Value>& values, std::vector<Value> more) {
  std::stable_sort(more.begin(), more.end(), is_earlier);
  const std::size_t before = values.size();
  values.insert(values.end(), more.begin(), more.end());
  std::inplace_merge(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(before),
                     values.end(), is_earlier);
  const auto is_of_one_time = [](const Value& a, const Value& b) { return a.time == b.time; };
  values.erase(std::unique(values.begin(), values.end(), is_of_one_time), values.end());
  return values.size() > before;
}

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

/// Prometheus repeats a value until the next scrape: how far changes usually are from each other,
/// or collections where values hardly change.
Nanoseconds scrape_of(const std::vector<Value>& values) {
  std::vector<Nanoseconds> distances;
  std::optional<DriverTime> last;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && values[i].value == values[i - 1].value) continue;
    if (last) distances.push_back(values[i].time - *last);
    last = values[i].time;
  }
  distances.push_back(kCollected);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return std::min(*middle, kCollected);
}

/// Of repeats those are kept that are a scrape from the last one kept.
std::vector<Value> without_repeats(const std::vector<Value>& values, Nanoseconds scrape) {
  std::vector<Value> kept;
  for (const Value& value : values) {
    const bool is_repeat =
        !kept.empty() && kept.back().value == value.value && value.time - kept.back().time < scrape;
    if (!is_repeat) kept.push_back(value);
  }
  return kept;
}

class AnswerReader {
 public:
  explicit AnswerReader(const PowerLogOptions& options) : builder_(options) {}

  Result<void> read(const json& answer) {
    if (!answer.is_object()) return refuse("the JSON is not an answer of Prometheus");
    if (const std::string error = label(answer, "error"); !error.empty()) {
      return refuse("Prometheus answered " + quote(error));
    }
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
      return refuse(others_.empty() ? "the answer has no series"
                                    : "the answer has no power of DCGM but " + quote(others_));
    }
    for (auto& [key, gpu] : gpus_) add_rows(key, gpu);
    auto log = builder_.finish();
    if (!log) return log;
    log->notes.emplace_back(
        "Prometheus says what it scraped last: readings are older than their stamps by up to the "
        "scrape interval");
    if (has_counter_) {
      log->notes.emplace_back(
          "the energy counter was left out: its joules are as old as the last scrape, whose "
          "time is not in the answer");
    }
    if (joined_ > 0) {
      log->notes.push_back(fmt::format(
          "{} more series of the same GPU (by its UUID), as of another pod, were joined to its "
          "first",
          joined_));
    }
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
      has_counter_ = has_counter_ || name == kCounter;
      if (others_.empty()) others_ = name.empty() ? "a series without a name" : name;
      return;
    }
    Gpu& gpu = gpu_of(*metric);
    const SourceId source{known->kind, Scope::gpu};
    std::vector<Value>& before = gpu.read[source];
    const bool is_first = before.empty();
    if (!is_first && gpu.device.uuid.empty()) {
      ++repeated_;  // of another GPU, perhaps
      return;
    }
    std::vector<Value> read;
    for (const json& pair : *values) read_value(pair, source, read);
    const bool adds = join(before, std::move(read));
    if (!is_first) ++(adds ? joined_ : repeated_);
  }

  Gpu& gpu_of(const json& metric) {
    const std::string uuid = label(metric, "UUID");
    std::string host = label(metric, "Hostname");
    if (host.empty()) host = label(metric, "hostname");
    // An exporter that starts anew may be another instance, of the same GPUs.
    if (host.empty() && uuid.empty()) host = label(metric, "instance");
    const std::string index = label(metric, "gpu");
    const std::string key = host + "/" + (uuid.empty() ? index : uuid);
    const auto [found, is_new] = by_key_.try_emplace(key, gpus_.size());
    if (!is_new) return gpus_[found->second].second;
    Gpu gpu;
    gpu.device.index = std::clamp(parse_integer<int>(index).value_or(0), 0, 4095);
    gpu.device.uuid = uuid;
    gpu.device.host = host;
    gpu.device.name = label(metric, "modelName");
    gpu.device.pci = label(metric, "pci_bus_id");
    gpu.device.driver = label(metric, "DCGM_FI_DRIVER_VERSION");
    return gpus_.emplace_back(key, std::move(gpu)).second;
  }

  void read_value(const json& pair, SourceId source, std::vector<Value>& values) {
    ++values_;
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number();
    const double seconds = is_pair ? pair[0].get<double>() : -1.0;
    if (!(seconds >= 0.0 && seconds < kLatestSeconds)) {
      return builder_.tally().bad(values_, "is not a pair of time and value");
    }
    const auto number =
        pair[1].is_string() ? parse_number(pair[1].get_ref<const std::string&>()) : std::nullopt;
    const bool good = number && *number >= 0.0 && *number <= kHighestWatts;
    // Prometheus counts milliseconds.
    const DriverTime time(std::chrono::milliseconds(std::llround(seconds * 1e3)));
    values.push_back({time, source, good ? number : std::nullopt});
  }

  void add_rows(const std::string& key, const Gpu& gpu) {
    std::vector<Value> values;
    Nanoseconds longest{0};
    for (const auto& [source, read] : gpu.read) {
      const Nanoseconds scrape = scrape_of(read);
      longest = std::max(longest, scrape);
      const std::vector<Value> scraped = without_repeats(read, scrape);
      values.insert(values.end(), scraped.begin(), scraped.end());
    }
    std::stable_sort(values.begin(), values.end(), is_earlier);
    LogRow row;
    row.device = gpu.device;
    row.key = key;
    row.is_unique = true;
    for (std::size_t i = 0; i < values.size();) {
      const DriverTime time = values[i].time;
      row.stamp = LogStamp{time, std::chrono::minutes(0), false, longest};
      row.powers.clear();
      row.has_reading = false;
      for (; i < values.size() && values[i].time == time; ++i) {
        const auto& value = values[i].value;
        row.powers.push_back({values[i].source, value, value ? "" : "NaN"});
        row.has_reading = row.has_reading || value;
      }
      builder_.add(row, ++rows_);
    }
  }

  std::vector<std::pair<std::string, Gpu>> gpus_;
  std::map<std::string, std::size_t> by_key_;
  std::string others_;
  std::size_t repeated_ = 0;
  std::size_t joined_ = 0;
  bool has_counter_ = false;
  std::size_t values_ = 0;
  std::size_t rows_ = 0;
  PowerLogBuilder builder_;
};

}  // namespace

bool looks_like_prometheus(std::string_view start) {
  start = trim(start);
  return (start.starts_with('{') || start.starts_with('[')) &&
         (start.find("\"resultType\"") != std::string_view::npos ||
          start.find("\"errorType\"") != std::string_view::npos);
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
