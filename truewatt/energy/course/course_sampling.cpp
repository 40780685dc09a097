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

/// A step of power and the count in which it is.
struct SampledEdge {
  std::size_t reading;
  double time;
  double watts;
};

double sum_of(const StepError& error, const std::vector<SampledEdge>& edges, double sample) {
  double sum = 0.0;
  for (const SampledEdge& edge : edges) sum += edge.watts * error.at(edge.time, sample);
  return sum;
}

/// Where samples stand, `every` so many seconds, that are off by most.
double worst_sample(const StepError& error, const std::vector<SampledEdge>& edges, double every) {
  constexpr int kPhases = 32;
  double most = 0.0;
  double worst = 0.0;
  for (int i = 0; i < kPhases; ++i) {
    const double sample = every * i / kPhases;
    const double sum = std::abs(sum_of(error, edges, sample));
    if (sum <= most) continue;
    most = sum;
    worst = sample;
  }
  return worst;
}

}  // namespace

std::vector<double> EnergyCourse::Impl::sampling_errors(std::size_t source) const {
  const ObservedSource& counter = board.sources[source];
  const StepError error(counter);
  std::vector<SampledEdge> edges;
  const auto add = [&](double time, double watts) {
    const auto counted =
        std::lower_bound(counter.readings.begin(), counter.readings.end(), time,
                         [](const ObservedReading& reading, double t) { return reading.time < t; });
    const auto reading = static_cast<std::size_t>(counted - counter.readings.begin());
    if (reading > 0 && reading < counter.readings.size()) edges.push_back({reading, time, watts});
  };
  double on = 0.0;
  for (const CourseHints::Work& work : hints.work) {
    add(work.begin, range);
    add(work.end, -range);
    on += range * (work.end - work.begin);
  }
  // What samples miss of most of the work, they do not tell the level of. Else it is the course's.
  constexpr double kMayMiss = 0.3;
  double worst = worst_sample(error, edges, counter.sampled_every);
  if (std::abs(sum_of(error, edges, worst)) < kMayMiss * on) {
    constexpr double kBeside = 1e-6;  // s
    edges.clear();
    double before = -std::numeric_limits<double>::infinity();
    for (const double time : hints.marks) {
      if (time - std::exchange(before, time) < kBeside) continue;
      add(time, power_of(step_at(time + kBeside)) - power_of(step_at(time - kBeside)));
    }
    worst = worst_sample(error, edges, counter.sampled_every);
  }
  std::vector<double> joules(counter.readings.size(), 0.0);
  for (const SampledEdge& edge : edges) {
    joules[edge.reading] += edge.watts * error.at(edge.time, worst);
  }
  return joules;
}

}  // namespace truewatt::energy
