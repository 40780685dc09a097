#include "truewatt/counters/cupti/cupti_counters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/counters/cupti/cupti_search.hpp"

namespace truewatt::counters::cupti {

Result<std::unique_ptr<CuptiCounters>> CuptiCounters::open(const CuptiOptions& options) {
  const Driver driver = driver_of_process();
  const auto candidates = options.path.empty()
                              ? cupti_candidates(places_of_process(), cuda_major(driver))
                              : std::vector<std::string>{options.path};
  auto library = Library::open(candidates);
  if (!library) return Unexpected(library.error());
  return open_with(*library, driver, options.wanted);
}

Result<std::unique_ptr<CuptiCounters>> CuptiCounters::open_with(
    std::shared_ptr<const Library> library, const Driver& driver, const Wanted& wanted) {
  std::unique_ptr<CuptiCounters> counters(new CuptiCounters(std::move(library), driver));
  if (auto ready = counters->prepare(wanted); !ready) return Unexpected(ready.error());
  return counters;
}

/// The device of the current context, which is noted. CUDA's handle of a device is its number.
Result<int> CuptiCounters::find_device() {
  int device = 0;
  const bool is_known = driver_.current_context != nullptr && driver_.current_device != nullptr &&
                        driver_.current_context(&context_) == 0 && context_ != nullptr &&
                        driver_.current_device(&device) == 0;
  if (is_known) return device;
  return Unexpected(Errc::unavailable,
                    "no CUDA context is current on this thread: there is nothing to count");
}

Result<void> CuptiCounters::find_chip(int device) {
  const auto& functions = library_->functions();
  ProfilerInitialize initialize;
  if (auto started = library_->call(functions.initialize, initialize); !started) return started;
  DeviceSupported supported;
  supported.device = device;
  if (auto asked = library_->call(functions.device_supported, supported); !asked) return asked;
  if (auto able = check_support(supported); !able) return able;
  DeviceChipName name;
  name.device = static_cast<std::size_t>(device);
  if (auto named = library_->call(functions.chip_name, name); !named) return named;
  if (name.chip == nullptr) return Unexpected(Errc::device, "CUPTI does not name the GPU's chip");
  chip_ = name.chip;
  return {};
}

/// What of the chip's counters this device has. Empty where CUPTI does not say: chips that it knows
/// do without, and a refusal comes again when counting begins.
Bytes CuptiCounters::availability() const {
  const auto& entry = library_->functions().availability;
  CounterAvailability p;
  p.context = context_;
  if (!library_->call(entry, p)) return {};
  Bytes image(p.image_bytes);
  p.image = image.data();
  if (!library_->call(entry, p)) return {};
  return image;
}

Result<void> CuptiCounters::prepare(const Wanted& wanted) {
  const auto device = find_device();
  if (!device) return Unexpected(device.error());
  if (auto found = find_chip(*device); !found) return found;
  auto host = HostProfiler::create(library_, chip_, availability());
  if (!host) return Unexpected(host.error());
  host_ = std::move(*host);
  const auto has = host_->counters();
  if (!has) return Unexpected(has.error());
  plan_ = plan_metrics([&](std::string_view metric) { return has->contains(metric); }, wanted);
  if (plan_.metrics.empty()) {
    return Unexpected(Errc::unsupported,
                      fmt::format("CUPTI has none of the counters that truewatt reads for the chip "
                                  "{} ({})",
                                  chip_, library_->path()));
  }
  auto config = host_->configure(plan_.metrics);
  if (!config) return Unexpected(config.error());
  config_ = std::move(*config);
  const auto passes = host_->passes(config_);
  if (!passes) return Unexpected(passes.error());
  passes_ = std::max<std::size_t>(*passes, 1);
  return {};
}

Result<Bytes> CuptiCounters::count_in_session(const std::function<Result<void>()>& launch) {
  if (!session_) {
    auto session = RangeSession::enable(library_, driver_, context_);
    if (!session) return Unexpected(session.error());
    session_ = std::move(*session);
  }
  return session_->count(plan_.metrics, config_, passes_, launch);
}

void CuptiCounters::end_row() {
  in_a_row_ = false;
  session_.reset();
}

Result<Counts> CuptiCounters::count(const std::function<Result<void>()>& launch) {
  const bool goes_on = session_ != nullptr;
  auto data = count_in_session(launch);
  if (!data) session_.reset();
  if (!data && goes_on) return count(launch);  // what refuses once more begins anew
  if (!data) return Unexpected(data.error());
  auto values = host_->evaluate(*data, plan_.metrics);
  if (!in_a_row_) session_.reset();
  if (!values) return Unexpected(values.error());
  values_ = std::move(*values);
  return counts_of(values_);
}

namespace {

class LateCounters final : public Counters {
 public:
  explicit LateCounters(CuptiOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "cupti"; }

  Result<Counts> count(const std::function<Result<void>()>& launch) override {
    if (!counters_) {
      auto opened = CuptiCounters::open(options_);
      if (!opened) return Unexpected(opened.error());
      counters_ = std::move(*opened);
    }
    if (in_a_row_) counters_->begin_row();
    return counters_->count(launch);
  }

  void begin_row() override { in_a_row_ = true; }
  void end_row() override {
    in_a_row_ = false;
    if (counters_) counters_->end_row();
  }

 private:
  CuptiOptions options_;
  bool in_a_row_ = false;
  std::unique_ptr<CuptiCounters> counters_;
};

}  // namespace

std::unique_ptr<Counters> make_cupti_counters(const CuptiOptions& options) {
  return std::make_unique<LateCounters>(options);
}

}  // namespace truewatt::counters::cupti
