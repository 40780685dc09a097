#include "truewatt/load/cuda/launch_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace truewatt::load::cuda {
namespace {

constexpr double kLeastRSquared = 0.99;
/// Warm-up ends when this many launches in a row differ by no more than kSettled.
constexpr std::size_t kSettledLaunches = 5;
constexpr double kSettled = 0.005;
constexpr Seconds kWarmUpLaunch{0.02};

/// Means, spread and covariance under weights that sum to 1.
struct Moments {
  double mean_passes = 0.0;
  double mean_time = 0.0;
  double spread = 0.0;
  double covariance = 0.0;
};

Moments weighted_moments(std::span<const TimedLaunch> launches) {
  double total = 0.0;
  for (const TimedLaunch& launch : launches) total += std::pow(launch.time.count(), -2);
  Moments m;
  for (const TimedLaunch& launch : launches) {
    const double weight = std::pow(launch.time.count(), -2) / total;
    m.mean_passes += weight * launch.passes;
    m.mean_time += weight * launch.time.count();
  }
  for (const TimedLaunch& launch : launches) {
    const double weight = std::pow(launch.time.count(), -2) / total;
    const double passes = launch.passes - m.mean_passes;
    m.spread += weight * passes * passes;
    m.covariance += weight * passes * (launch.time.count() - m.mean_time);
  }
  return m;
}

double r_squared(std::span<const TimedLaunch> launches, const LaunchTiming& timing) {
  double mean = 0.0;
  for (const TimedLaunch& launch : launches) mean += launch.time.count();
  mean /= static_cast<double>(launches.size());
  double residual = 0.0;
  double total = 0.0;
  for (const TimedLaunch& launch : launches) {
    const Seconds line = timing.overhead + launch.passes * timing.per_pass;
    residual += std::pow((launch.time - line).count(), 2);
    total += std::pow(launch.time.count() - mean, 2);
  }
  return total > 0.0 ? 1.0 - residual / total : 0.0;
}

Result<TimedLaunch> time_launch(GpuKernel& kernel, const LaunchSpec& spec) {
  auto done = kernel.context().mark_start();
  if (done) done = kernel.launch(spec.blocks, spec.passes);
  if (!done) return Unexpected(done.error());
  const auto time = kernel.context().wait(kernel.context().launches() - 1);
  if (!time) return Unexpected(time.error());
  return TimedLaunch{spec.passes, *time};
}

/// Doubles the passes until a launch is long enough to be measured well (5 ms).
Result<Seconds> rough_time_per_pass(GpuKernel& kernel) {
  constexpr Seconds kLongEnough{0.005};
  constexpr std::uint32_t kMostPasses = 1U << 28;
  for (std::uint32_t passes = 64; passes < kMostPasses; passes *= 2) {
    const auto launch = time_launch(kernel, {kernel.most_blocks(), passes, 1});
    if (!launch) return Unexpected(launch.error());
    if (launch->time >= kLongEnough) return launch->time / passes;
  }
  return Unexpected(Errc::device,
                    fmt::format("{} passes of the {} took less than 5 ms: the GPU does not run it",
                                kMostPasses, kernel.kernel().name()));
}

bool settled(const std::vector<Seconds>& times) {
  if (times.size() < kSettledLaunches) return false;
  const auto [least, most] = std::minmax_element(times.end() - kSettledLaunches, times.end());
  return *most <= (1.0 + kSettled) * *least;
}

/// Runs until the clocks of the GPU have settled; the time per pass they settled at.
Result<Seconds> warm_up(GpuKernel& kernel, const CalibrationOptions& options) {
  const auto rough = rough_time_per_pass(kernel);
  if (!rough) return rough;
  const auto passes = LaunchTiming{Seconds(0), *rough, 0.0}.passes_for(kWarmUpLaunch);
  std::vector<Seconds> times;
  for (Seconds worked{0}; worked < options.most_warm_up; worked += times.back()) {
    if (worked >= options.least_warm_up && settled(times)) break;
    const auto launch = time_launch(kernel, {kernel.most_blocks(), passes, 1});
    if (!launch) return Unexpected(launch.error());
    times.push_back(launch->time);
  }
  if (times.empty()) return rough;
  return times.back() / passes;
}

}  // namespace

Result<LaunchTiming> rough_timing(GpuKernel& kernel) {
  const auto per_pass = rough_time_per_pass(kernel);
  if (!per_pass) return Unexpected(per_pass.error());
  return LaunchTiming{Seconds(0), *per_pass, 0.0};
}

std::uint32_t LaunchTiming::passes_for(Seconds time) const {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(std::round(time / per_pass), 1.0, kMost));
}

Result<LaunchTiming> fit_launch_timing(std::span<const TimedLaunch> launches) {
  std::vector<TimedLaunch> kept;
  for (const TimedLaunch& launch : launches) {
    if (launch.time > kTooShortToFit) kept.push_back(launch);
  }
  if (kept.size() < 3) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("{} of {} launches of the FMA kernel last more than 2 ms; three "
                                  "are needed to calibrate it",
                                  kept.size(), launches.size()));
  }
  const Moments m = weighted_moments(kept);
  LaunchTiming timing;
  if (m.spread > 0.0) {
    timing.per_pass = Seconds(m.covariance / m.spread);
    timing.overhead = Seconds(m.mean_time) - m.mean_passes * timing.per_pass;
    timing.r_squared = r_squared(kept, timing);
  }
  if (timing.per_pass.count() > 0.0 && timing.r_squared >= kLeastRSquared) {
    timing.overhead = std::max(timing.overhead, Seconds(0));
    return timing;
  }
  return Unexpected(Errc::ill_conditioned,
                    fmt::format("the FMA kernel's time is not linear in its length (R² = {:.4f}, "
                                "0.99 is needed); end other programs on this GPU and try again",
                                timing.r_squared));
}

Result<TimedLaunch> fastest_launch(GpuKernel& kernel, const LaunchSpec& spec) {
  auto fastest = time_launch(kernel, spec);
  for (int i = 1; i < spec.repetitions && fastest; ++i) {
    auto again = time_launch(kernel, spec);
    if (!again || again->time < fastest->time) fastest = std::move(again);
  }
  return fastest;
}

Result<LaunchTiming> calibrate(GpuKernel& kernel, const CalibrationOptions& options) {
  const auto per_pass = warm_up(kernel, options);
  if (!per_pass) return Unexpected(per_pass.error());
  std::vector<TimedLaunch> launches;
  for (const double target : {0.003, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2}) {
    if (Seconds(target) > options.longest) break;
    const auto passes = LaunchTiming{Seconds(0), *per_pass, 0.0}.passes_for(Seconds(target));
    const auto launch = fastest_launch(kernel, {kernel.most_blocks(), passes, options.repetitions});
    if (!launch) return Unexpected(launch.error());
    launches.push_back(*launch);
  }
  return fit_launch_timing(launches);
}

}  // namespace truewatt::load::cuda
