#include "truewatt/load/cuda/cuda_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "truewatt/kernels/fma_chain.hpp"
#include "truewatt/load/cuda/stretch_player.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/wait.hpp"

namespace truewatt::load {
namespace {

using cuda::CudaDevice;
using cuda::DriverApi;
using cuda::FmaKernel;
using cuda::LaunchTiming;

/// A difference between one block's and all blocks' time that the reader should know.
constexpr double kNotableDifference = 0.01;
/// What is left of a stretch that the host came late to must be worth a launch.
constexpr Seconds kNothingLeft = kShortestStretch / 2;

HostTime at(HostTime begin, Seconds offset) { return begin + to_nanoseconds(offset); }

class CudaFmaLoad final : public Load {
 public:
  CudaFmaLoad(std::shared_ptr<const DriverApi> api, CudaDevice device, Clock& clock,
              CudaLoadOptions options)
      : api_(std::move(api)),
        device_(std::move(device)),
        clock_(clock),
        options_(std::move(options)) {}

  std::string_view name() const override { return "fma"; }
  std::optional<std::string> slice() const override;
  Result<void> prepare(const Schedule& schedule) override;
  Result<Execution> play(const Schedule& schedule, HostTime begin, std::stop_token stop) override;

 private:
  Result<void> make_kernel();
  Result<void> compare_with_one_block();
  std::vector<std::string> describe() const;

  std::shared_ptr<const DriverApi> api_;
  CudaDevice device_;
  Clock& clock_;
  CudaLoadOptions options_;
  std::unique_ptr<FmaKernel> kernel_;
  LaunchTiming timing_;
  double one_block_ratio_ = 1.0;  ///< time of one block alone over that of all, same passes
};

Result<void> CudaFmaLoad::prepare(const Schedule& schedule) {
  for (const Stretch& stretch : active_stretches(schedule)) {
    if (stretch.end - stretch.begin >= kShortestStretch * (1 - 1e-9)) continue;
    return Unexpected(Errc::invalid_argument,
                      fmt::format("load '{}': the stretch of work at {} s lasts {:.3f} ms; a GPU "
                                  "load needs at least 0.1 ms",
                                  schedule.spec, stretch.begin.count(),
                                  1e3 * (stretch.end - stretch.begin).count()));
  }
  return kernel_ ? kernel_->use() : make_kernel();
}

Result<void> CudaFmaLoad::make_kernel() {
  auto kernel = FmaKernel::create(api_, device_);
  if (!kernel) return Unexpected(kernel.error());
  const auto timing = cuda::calibrate(**kernel, options_.calibration);
  if (!timing) return Unexpected(timing.error());
  timing_ = *timing;
  kernel_ = std::move(*kernel);
  auto compared = compare_with_one_block();
  if (compared) compared = kernel_->check_result();
  if (!compared) kernel_.reset();
  return compared;
}

/// All blocks run at the same time, so the level must not change the duration.
Result<void> CudaFmaLoad::compare_with_one_block() {
  constexpr Seconds kCompared{0.02};
  const auto launch = cuda::fastest_launch(*kernel_, {1, timing_.passes_for(kCompared), 3});
  if (!launch) return Unexpected(launch.error());
  one_block_ratio_ = (launch->time - timing_.overhead) / (launch->passes * timing_.per_pass);
  return {};
}

std::optional<std::string> CudaFmaLoad::slice() const {
  if (device_.instance.empty()) return std::nullopt;
  return fmt::format("instance {} with {} SMs", device_.instance, device_.multiprocessors);
}

std::vector<std::string> CudaFmaLoad::describe() const {
  const double steps = 1000.0 / kernels::kFmaChainStepsPerPass;
  std::vector<std::string> notes{
      fmt::format("FMA chain: {:.4g} us per 1000 iterations, R² = {:.5f}, {} blocks of {} threads; "
                  "result checked",
                  1e6 * steps * timing_.per_pass.count(), timing_.r_squared, kernel_->most_blocks(),
                  kernel_->threads_per_block())};
  if (std::abs(one_block_ratio_ - 1.0) > kNotableDifference) {
    notes.push_back(
        fmt::format("one block alone takes {:.3f} times as long as all blocks: low "
                    "levels end off the schedule by that much",
                    one_block_ratio_));
  }
  if (const auto part = slice()) {
    notes.push_back(fmt::format("the load works on {} only; levels are shares of it", *part));
  }
  if (kernel_->note()) notes.push_back(*kernel_->note());
  return notes;
}

Result<Execution> CudaFmaLoad::play(const Schedule& schedule, HostTime begin,
                                    std::stop_token stop) {
  if (!kernel_) return Unexpected(Errc::invalid_argument, "prepare the load before playing it");
  if (auto used = kernel_->use(); !used) return Unexpected(used.error());
  const auto stretches = active_stretches(schedule);
  Execution execution;
  execution.activity.reserve(stretches.size());
  wait_until(clock_, begin, stop);
  execution.begin = clock_.now();
  std::size_t missed = 0;
  for (const Stretch& stretch : stretches) {
    wait_until(clock_, at(begin, stretch.begin), stop);
    if (stop.stop_requested()) break;
    const HostTime end = at(begin, stretch.end);
    if (end - clock_.now() < kNothingLeft) {
      ++missed;
      continue;
    }
    cuda::StretchPlayer player(*kernel_, clock_, timing_,
                               blocks_for_level(stretch.level, device_.multiprocessors));
    const auto played = player.play(end, stop);
    if (!played) return Unexpected(played.error());
    execution.activity.push_back(
        {played->begin, played->end, fmt::format("level={:g}", stretch.level)});
  }
  wait_until(clock_, at(begin, schedule.duration), stop);
  execution.end = clock_.now();
  if (auto checked = kernel_->check_result(); !checked) return Unexpected(checked.error());
  execution.notes = describe();
  if (missed > 0) {
    execution.notes.push_back(fmt::format(
        "{} of {} stretches of work were left out: the host was late by a whole stretch", missed,
        stretches.size()));
  }
  return execution;
}

/// CUDA reads the variable when its driver starts and then shows one MIG instance.
void show_instance_to_cuda(const CudaLoadOptions& options) {
  if (!options.mig || options.visible_devices) return;
  const MigMode& mig = *options.mig;
  const bool none = mig.chosen.empty() && mig.instances.empty();
  if (none) return;
  // The sampling threads of a run are started later; nobody reads the environment meanwhile.
  setenv("CUDA_VISIBLE_DEVICES", (mig.chosen.empty() ? mig.instances.front() : mig.chosen).c_str(),
         1);  // NOLINT(concurrency-mt-unsafe)
}

Unexpected explained(const Error& error, const CudaLoadOptions& options) {
  const bool ours = options.mig && error.code == Errc::unavailable;
  return Unexpected(ours ? cuda::with_mig_advice(error, *options.mig) : error);
}

}  // namespace

unsigned blocks_for_level(double level, int multiprocessors) {
  if (level <= 0.0) return 0;
  return static_cast<unsigned>(std::max(1L, std::lround(level * multiprocessors)));
}

Result<std::unique_ptr<Load>> make_cuda_load(const DeviceIdentity& device, Clock& clock,
                                             const CudaLoadOptions& options) {
  if (clock.is_virtual()) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("a load on the real GPU {} needs the machine's clock, not a "
                                  "virtual one",
                                  device.name));
  }
  show_instance_to_cuda(options);
  auto api = DriverApi::open(options.cuda_library);
  if (!api) return explained(api.error(), options);
  auto found = options.mig ? cuda::find_instance(**api, device, *options.mig)
                           : cuda::find_device(**api, device);
  if (!found) return explained(found.error(), options);
  return std::unique_ptr<Load>(
      std::make_unique<CudaFmaLoad>(std::move(*api), std::move(*found), clock, options));
}

}  // namespace truewatt::load
