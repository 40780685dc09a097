// Known work in step with the samples that a counter adds up.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "truewatt/energy/course/course_impl.hpp"
#include "truewatt/energy/observe/look.hpp"

namespace truewatt::energy {
namespace {

/// What samples `every` so many seconds, times that, make more of a step of 1 W than its integral,
/// J, by where in `every` it comes before a sample; less its mean, which is a delay.
class StepError {
 public:
  explicit StepError(const ObservedSource& counter) : every_(counter.sampled_every) {
    const double window = counter.blur;
    const double lag = counter.time_constant;
    const double forgotten = window + kForgotten * lag;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      const double before = every_ * (static_cast<double>(i) + 0.5) / kPlaces;
      by_place_[i] = every_ - before;
      for (double age = before; age < forgotten; age += every_) {
        by_place_[i] -= every_ * (1 - shown_of_step(window, lag, age));
      }
    }
    const double mean = std::accumulate(by_place_.begin(), by_place_.end(), 0.0) / kPlaces;
    for (double& joules : by_place_) joules -= mean;
  }

  /// Of a step at `time`, where a sample is at `sample`.
  double at(double time, double sample) const {
    const double periods = (sample - time) / every_;
    const double place = kPlaces * (periods - std::floor(periods));
    return by_place_[std::min(static_cast<std::size_t>(place), kPlaces - 1)];
  }

 private:
  static constexpr double kForgotten = 5.0;  // time constants
  static constexpr std::size_t kPlaces = 64;
  double every_;
  std::array<double, kPlaces> by_place_{};
};

}  // namespace

std::vector<double> EnergyCourse::Impl::sampling_errors(std::size_t source) const {
  constexpr int kPhases = 32;
  const ObservedSource& counter = board.sources[source];
  const StepError error(counter);
  struct Edge {
    std::size_t reading;
    double time;
    double watts;
  };
  std::vector<Edge> edges;
  constexpr double kBeside = 1e-6;  // s
  double before = -std::numeric_limits<double>::infinity();
  for (const double time : hints.marks) {
    if (time - std::exchange(before, time) < kBeside) continue;
    const auto counted =
        std::lower_bound(counter.readings.begin(), counter.readings.end(), time,
                         [](const ObservedReading& reading, double t) { return reading.time < t; });
    const auto reading = static_cast<std::size_t>(counted - counter.readings.begin());
    if (reading == 0 || reading == counter.readings.size()) continue;
    const double watts = power_of(step_at(time + kBeside)) - power_of(step_at(time - kBeside));
    edges.push_back({reading, time, watts});
  }
  double most = 0.0;
  double worst = 0.0;
  for (int i = 0; i < kPhases; ++i) {
    const double sample = counter.sampled_every * i / kPhases;
    double sum = 0.0;
    for (const Edge& edge : edges) sum += edge.watts * error.at(edge.time, sample);
    if (std::abs(sum) <= most) continue;
    most = std::abs(sum);
    worst = sample;
  }
  std::vector<double> joules(counter.readings.size(), 0.0);
  for (const Edge& edge : edges) {
    joules[edge.reading] += edge.watts * error.at(edge.time, worst);
  }
  return joules;
}

}  // namespace truewatt::energy
