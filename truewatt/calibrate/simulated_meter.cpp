#include "truewatt/calibrate/simulated_meter.hpp"

#include "truewatt/simgpu/random.hpp"

namespace truewatt::calibrate {
namespace {

constexpr double kMean = 0.002;  // s
/// Of a mean over 2 ms: a step of the current, 0.0488 A at 12 V, on a few rails.
constexpr double kNoise = 1.0;               // W
constexpr std::uint64_t kErrors = 0x504d44;  // streams of random numbers
constexpr std::uint64_t kReadings = 0x504d45;
/// Bounds of voltage and current, of which kPmdAccuracy is the sum in squares.
constexpr double kVoltageBound = 0.005;
constexpr double kCurrentBound = 0.01;

double within(double bound, std::uint64_t seed, std::uint64_t index) {
  return bound * (2.0 * simgpu::random_uniform(seed, kErrors, index) - 1.0);
}

}  // namespace

trace::MeterTrace simulated_meter(simgpu::SimulatedGpu& gpu, HostTime origin, HostTime begin,
                                  HostTime end, std::uint64_t seed) {
  const double scale =
      (1.0 + within(kVoltageBound, seed, 0)) * (1.0 + within(kCurrentBound, seed, 1));
  const double zero = within(kPmdAccuracy.zero_w, seed, 2);
  const double first = seconds_between(origin, begin);
  const auto count = static_cast<std::uint64_t>(seconds_between(begin, end) / kMean);
  trace::MeterTrace meter{.meter = kSimulatedMeter, .axis = trace::MeterAxis::host};
  meter.samples.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double t = first + kMean * static_cast<double>(i);
    const double power = gpu.true_energy(t, t + kMean) / kMean;
    meter.samples.push_back(
        {origin + to_nanoseconds(Seconds(t + 0.5 * kMean)),
         scale * power + zero + kNoise * simgpu::random_normal(seed, kReadings, i)});
  }
  return meter;
}

}  // namespace truewatt::calibrate
