#include "truewatt/counters/cupti/host_profiler.hpp"

#include <cmath>

namespace truewatt::counters::cupti {

std::vector<const char*> c_names(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const auto& name : names) pointers.push_back(name.c_str());
  return pointers;
}

Result<std::unique_ptr<HostProfiler>> HostProfiler::create(std::shared_ptr<const Library> library,
                                                           const std::string& chip,
                                                           Bytes availability) {
  std::unique_ptr<HostProfiler> host(new HostProfiler(std::move(library), std::move(availability)));
  HostInitialize p;
  p.chip = chip.c_str();
  p.availability = host->availability_.empty() ? nullptr : host->availability_.data();
  const auto made = host->library_->call(host->library_->functions().host_initialize, p);
  if (!made) {
    return Unexpected(made.error().code, "chip " + chip + ": " + made.error().message);
  }
  host->object_ = p.object;
  return host;
}

HostProfiler::~HostProfiler() {
  if (object_ == nullptr) return;
  HostOnly p;
  p.object = object_;
  static_cast<void>(library_->call(library_->functions().host_deinitialize, p));
}

Result<std::set<std::string, std::less<>>> HostProfiler::counters() const {
  HostBaseMetrics p;
  p.object = object_;
  const auto listed = library_->call(library_->functions().host_base_metrics, p);
  if (!listed) return Unexpected(listed.error());
  return std::set<std::string, std::less<>>(p.names, p.names + p.count);
}

Result<Bytes> HostProfiler::configure(const std::vector<std::string>& metrics) const {
  const auto& functions = library_->functions();
  auto names = c_names(metrics);
  HostAddMetrics add;
  add.object = object_;
  add.metrics = names.data();
  add.count = names.size();
  if (auto added = library_->call(functions.host_add_metrics, add); !added) {
    return Unexpected(added.error());
  }
  HostConfigSize size;
  size.object = object_;
  if (auto sized = library_->call(functions.host_config_size, size); !sized) {
    return Unexpected(sized.error());
  }
  Bytes config(size.bytes);
  HostConfig get;
  get.object = object_;
  get.bytes = config.size();
  get.config = config.data();
  if (auto got = library_->call(functions.host_config, get); !got) return Unexpected(got.error());
  return config;
}

Result<std::size_t> HostProfiler::passes(Bytes& config) const {
  HostPasses p;
  p.config_bytes = config.size();
  p.config = config.data();
  const auto counted = library_->call(library_->functions().host_passes, p);
  if (!counted) return Unexpected(counted.error());
  return p.passes;
}

Result<MetricValues> HostProfiler::evaluate(const Bytes& counter_data,
                                            const std::vector<std::string>& metrics) const {
  auto names = c_names(metrics);
  std::vector<double> numbers(metrics.size(), std::nan(""));
  HostEvaluate p;
  p.object = object_;
  p.counter_data = counter_data.data();
  p.counter_data_bytes = counter_data.size();
  p.metrics = names.data();
  p.metric_count = names.size();
  p.values = numbers.data();
  const auto evaluated = library_->call(library_->functions().host_evaluate, p);
  if (!evaluated) return Unexpected(evaluated.error());
  MetricValues values;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (std::isfinite(numbers[i])) values.emplace(metrics[i], numbers[i]);
  }
  return values;
}

}  // namespace truewatt::counters::cupti
