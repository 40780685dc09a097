#include "truewatt/load/cuda/cuda_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <vector>

#include "truewatt/kernels/fma_chain.hpp"
#include "truewatt/load/cuda/stretch_player.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/wait.hpp"

namespace truewatt::load {
namespace {

using cuda::CudaDevice;
using cuda::DriverApi;
using cuda::GpuContext;
using cuda::GpuKernel;
using cuda::LaunchTiming;

/// A difference between one block's and all blocks' time that the reader should know.
constexpr double kNotableDifference = 0.01;
/// What is left of a stretch that the host came late to must be worth a launch.
constexpr Seconds kNothingLeft = kShortestStretch / 2;
/// Of a kernel that is compiled: so few that a host computes them as fast.
constexpr std::uint32_t kCheckedPasses = 3;
constexpr std::size_t kCheckedThreads = 256;
/// Launches of a kernel of a schedule's: their ends are stamps that its user may begin at.
constexpr Seconds kKernelPiece{0.025};
constexpr std::size_t kAllThreads = std::numeric_limits<std::size_t>::max();

HostTime at(HostTime begin, Seconds offset) { return begin + to_nanoseconds(offset); }

class CudaLoad final : public Load {
 public:
  CudaLoad(std::shared_ptr<const DriverApi> api, CudaDevice device, Clock& clock,
           CudaLoadOptions options)
      : api_(std::move(api)),
        device_(std::move(device)),
        clock_(clock),
        options_(std::move(options)) {}

  std::string_view name() const override { return "fma"; }
  std::optional<std::string> slice() const override;
  Result<void> prepare(const Schedule& schedule) override;
  Result<const CompiledKernel*> compile(
      const std::shared_ptr<const kernels::Kernel>& kernel) override;
  Result<Launch> launch(const kernels::Kernel& kernel, double level,
                        std::uint32_t iterations) override;
  Result<Execution> play(const Schedule& schedule, HostTime begin, std::stop_token stop) override;

 private:
  /// A kernel that somebody asked for, checked and roughly timed.
  struct Ready {
    std::shared_ptr<const kernels::Kernel> of;
    std::unique_ptr<GpuKernel> kernel;
    LaunchTiming timing;
    CompiledKernel compiled;
  };

  Result<void> make_context();
  Result<void> make_kernel();
  Result<Ready> make_ready(const kernels::Kernel& kernel);
  Result<void> play_stretch(const Stretch& stretch, HostTime end, Execution& execution,
                            const std::stop_token& stop);
  unsigned blocks_of(const GpuKernel& kernel, double level) const;
  Result<void> compare_with_one_block();
  std::vector<std::string> describe() const;

  std::shared_ptr<const DriverApi> api_;
  CudaDevice device_;
  Clock& clock_;
  CudaLoadOptions options_;
  std::shared_ptr<GpuContext> context_;
  std::unique_ptr<GpuKernel> kernel_;  ///< the FMA chain
  std::map<const kernels::Kernel*, Ready> ready_;
  LaunchTiming timing_;
  double one_block_ratio_ = 1.0;  ///< time of one block alone over that of all, same passes
};

Result<void> CudaLoad::prepare(const Schedule& schedule) {
  bool wants_chain = schedule.steps.empty();
  for (const Stretch& stretch : active_stretches(schedule)) {
    wants_chain = wants_chain || stretch.kernel == nullptr;
    if (stretch.kernel != nullptr) {
      if (const auto compiled = compile(stretch.kernel); !compiled) {
        return Unexpected(compiled.error());
      }
    }
    if (stretch.end - stretch.begin >= kShortestStretch * (1 - 1e-9)) continue;
    return Unexpected(Errc::invalid_argument,
                      fmt::format("load '{}': the stretch of work at {} s lasts {:.3f} ms; a GPU "
                                  "load needs at least 0.1 ms",
                                  schedule.spec, stretch.begin.count(),
                                  1e3 * (stretch.end - stretch.begin).count()));
  }
  return kernel_ || !wants_chain ? make_context() : make_kernel();
}

Result<void> CudaLoad::make_context() {
  if (context_) return context_->use();
  auto context = GpuContext::create(api_, device_);
  if (!context) return Unexpected(context.error());
  context_ = std::move(*context);
  return {};
}

Result<void> CudaLoad::make_kernel() {
  if (auto made = make_context(); !made) return made;
  auto kernel = GpuKernel::create(context_, kernels::fma_chain());
  if (!kernel) return Unexpected(kernel.error());
  const auto timing = cuda::calibrate(**kernel, options_.calibration);
  if (!timing) return Unexpected(timing.error());
  timing_ = *timing;
  kernel_ = std::move(*kernel);
  auto compared = compare_with_one_block();
  if (compared) compared = kernel_->check_result(kAllThreads);
  if (!compared) kernel_.reset();
  return compared;
}

Result<const CompiledKernel*> CudaLoad::compile(
    const std::shared_ptr<const kernels::Kernel>& kernel) {
  if (const auto found = ready_.find(kernel.get()); found != ready_.end()) {
    return &found->second.compiled;
  }
  if (auto made = make_context(); !made) return Unexpected(made.error());
  auto ready = make_ready(*kernel);
  if (!ready) return Unexpected(ready.error());
  ready->of = kernel;
  return &ready_.emplace(kernel.get(), std::move(*ready)).first->second.compiled;
}

Result<CudaLoad::Ready> CudaLoad::make_ready(const kernels::Kernel& kernel) {
  Ready ready;
  auto made = GpuKernel::create(context_, kernel);
  if (!made) return Unexpected(made.error());
  ready.kernel = std::move(*made);
  const auto checked =
      cuda::fastest_launch(*ready.kernel, {ready.kernel->most_blocks(), kCheckedPasses, 1});
  if (!checked) return Unexpected(checked.error());
  if (auto right = ready.kernel->check_result(kCheckedThreads); !right) {
    return Unexpected(right.error());
  }
  const auto timing = cuda::rough_timing(*ready.kernel);
  if (!timing) return Unexpected(timing.error());
  ready.timing = *timing;
  ready.compiled = {.image = ready.kernel->image(),
                    .compute_capability = device_.compute_capability};
  return ready;
}

/// All blocks run at the same time, so the level must not change the duration.
Result<void> CudaLoad::compare_with_one_block() {
  constexpr Seconds kCompared{0.02};
  const auto launch = cuda::fastest_launch(*kernel_, {1, timing_.passes_for(kCompared), 3});
  if (!launch) return Unexpected(launch.error());
  one_block_ratio_ = (launch->time - timing_.overhead) / (launch->passes * timing_.per_pass);
  return {};
}

std::optional<std::string> CudaLoad::slice() const {
  if (device_.instance.empty()) return std::nullopt;
  return fmt::format("instance {} with {} SMs", device_.instance, device_.multiprocessors);
}

std::vector<std::string> CudaLoad::describe() const {
  std::vector<std::string> notes;
  if (kernel_) {
    const double steps = 1000.0 / kernels::kFmaChainStepsPerPass;
    notes.push_back(fmt::format(
        "FMA chain: {:.4g} us per 1000 iterations, R² = {:.5f}, {} blocks of {} threads; result "
        "checked",
        1e6 * steps * timing_.per_pass.count(), timing_.r_squared, kernel_->most_blocks(),
        kernel_->threads_per_block()));
  }
  if (kernel_ && std::abs(one_block_ratio_ - 1.0) > kNotableDifference) {
    notes.push_back(
        fmt::format("one block alone takes {:.3f} times as long as all blocks: low "
                    "levels end off the schedule by that much",
                    one_block_ratio_));
  }
  if (const auto part = slice()) {
    notes.push_back(fmt::format("the load works on {} only; levels are shares of it", *part));
  }
  if (context_->note()) notes.push_back(*context_->note());
  return notes;
}

Result<Launch> CudaLoad::launch(const kernels::Kernel& kernel, double level,
                                std::uint32_t iterations) {
  const auto found = ready_.find(&kernel);
  if (found == ready_.end()) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("compile the {} before launching it", kernel.name()));
  }
  if (auto used = context_->use(); !used) return Unexpected(used.error());
  GpuKernel& ready = *found->second.kernel;
  const unsigned blocks = blocks_of(ready, level);
  const auto timed = cuda::fastest_launch(ready, {blocks, iterations, 1});
  if (!timed) return Unexpected(timed.error());
  return Launch{timed->time, static_cast<double>(blocks) * ready.threads_per_block()};
}

/// Levels below 1 are shares of the SMs, one block on each, whatever a full grid has: blocks go to
/// all SMs in turn.
unsigned CudaLoad::blocks_of(const GpuKernel& kernel, double level) const {
  if (level >= 1) return kernel.most_blocks();
  return std::min(blocks_for_level(level, device_.multiprocessors), kernel.most_blocks());
}

Result<void> CudaLoad::play_stretch(const Stretch& stretch, HostTime end, Execution& execution,
                                    const std::stop_token& stop) {
  GpuKernel* kernel = kernel_.get();
  LaunchTiming timing = timing_;
  if (const auto found = ready_.find(stretch.kernel.get()); found != ready_.end()) {
    kernel = found->second.kernel.get();
    timing = found->second.timing;
  } else if (stretch.kernel != nullptr || kernel_ == nullptr) {
    return Unexpected(Errc::invalid_argument,
                      "a step names a kernel that was not compiled: prepare the load first");
  }
  const unsigned blocks = blocks_of(*kernel, stretch.level);
  const Seconds piece = stretch.kernel != nullptr ? kKernelPiece : cuda::kPiece;
  cuda::StretchPlayer player(*kernel, clock_, timing, blocks, piece);
  const auto played = player.play(end, stop);
  if (!played) return Unexpected(played.error());
  execution.activity.push_back({played->begin, played->end, stretch.kind()});
  if (stretch.kernel == nullptr) return {};
  execution.kernels.push_back({stretch.kernel.get(), *played,
                               static_cast<double>(blocks) * kernel->threads_per_block(),
                               player.pieces()});
  return {};
}

Result<Execution> CudaLoad::play(const Schedule& schedule, HostTime begin, std::stop_token stop) {
  if (!context_) return Unexpected(Errc::invalid_argument, "prepare the load before playing it");
  if (auto used = context_->use(); !used) return Unexpected(used.error());
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
    if (auto played = play_stretch(stretch, end, execution, stop); !played) {
      return Unexpected(played.error());
    }
  }
  wait_until(clock_, at(begin, schedule.duration), stop);
  execution.end = clock_.now();
  if (kernel_) {
    if (auto checked = kernel_->check_result(kAllThreads); !checked) {
      return Unexpected(checked.error());
    }
  }
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
      std::make_unique<CudaLoad>(std::move(*api), std::move(*found), clock, options));
}

}  // namespace truewatt::load
