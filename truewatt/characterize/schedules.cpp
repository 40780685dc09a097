#include "truewatt/characterize/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/load/schedule_steps.hpp"

namespace truewatt::characterize {
namespace {

constexpr double kShortestStep = 1.3;  // s
constexpr double kLongestStep = 2.0;
constexpr double kIdleAfterStep = 2.0;
constexpr double kShortestLevel = 0.7;
constexpr double kLongestLevel = 1.0;
constexpr double kShortestWork = 0.004;  // s
constexpr double kNothing = 1e-9;        // s

double log_uniform(std::mt19937_64& rng, double low, double high) {
  return std::exp(uniform(rng, std::log(low), std::log(high)));
}

/// Appends work and idle one after the other.
class Builder {
 public:
  void work(double length, double level = 1.0) { append(level, length); }
  void idle(double length) { append(0.0, length); }
  double length() const { return at_; }
  load::Schedule finish(std::string spec) && {
    return {std::move(steps_), Seconds(at_), std::move(spec)};
  }

 private:
  void append(double level, double length) {
    load::append_step(steps_, {Seconds(at_), level});
    at_ += length;
  }
  std::vector<load::ScheduleStep> steps_;
  double at_ = 0.0;
};

void add_step(Builder& builder, double length) {
  builder.work(length);
  builder.idle(kIdleAfterStep);
}

double random_length(const RandomWork& kind, std::mt19937_64& rng) {
  if (uniform(rng, 0.0, 1.0) < kind.long_share) return log_uniform(rng, 0.15, 1.0);
  return log_uniform(rng, kind.shortest_s, kind.longest_s);
}

}  // namespace

double uniform(std::mt19937_64& rng, double low, double high) {
  const double unit = static_cast<double>(rng() >> 11) * 0x1.0p-53;
  return low + unit * (high - low);
}

load::Schedule scout_schedule(std::mt19937_64& rng) {
  Builder builder;
  for (int i = 0; i < 2; ++i) add_step(builder, uniform(rng, kShortestStep, kLongestStep));
  return std::move(builder).finish("two steps");
}

load::Schedule level_schedule(std::mt19937_64& rng) {
  std::vector<double> levels = {0.25, 0.5, 0.75};
  Builder builder;
  while (!levels.empty()) {
    const auto next = static_cast<std::ptrdiff_t>(rng() % levels.size());
    const double length = uniform(rng, kShortestLevel, kLongestLevel);
    builder.work(length, levels[static_cast<std::size_t>(next)]);
    builder.idle(length);
    levels.erase(levels.begin() + next);
  }
  return std::move(builder).finish("steps of three levels");
}

load::Schedule warm_up_schedule(Seconds duration, std::mt19937_64& rng) {
  const double pause = std::min(uniform(rng, 0.2, 0.4), duration.count() / 2);
  Builder builder;
  builder.work(duration.count() - pause);
  builder.idle(pause);
  return std::move(builder).finish("warm-up");
}

load::Schedule random_schedule(const RandomWork& kind, Seconds duration, int steps,
                               std::mt19937_64& rng) {
  std::vector<double> step_lengths;
  double for_work = duration.count();
  for (int i = 0; i < steps; ++i) {
    step_lengths.push_back(uniform(rng, kShortestStep, kLongestStep));
    for_work -= step_lengths.back() + kIdleAfterStep;
  }
  std::vector<double> places;
  for (int i = 0; i < steps; ++i) places.push_back(uniform(rng, 0.0, std::max(for_work, 0.0)));
  std::sort(places.begin(), places.end());
  Builder builder;
  std::size_t next = 0;
  double left = for_work;
  while (left > kNothing || next < places.size()) {
    if (next < places.size() && (left <= kNothing || places[next] <= for_work - left)) {
      add_step(builder, step_lengths[next++]);
      continue;
    }
    const double work = left > kind.shortest_s ? std::min(random_length(kind, rng), left) : 0.0;
    const double idle = std::min(random_length(kind, rng), left - work);
    if (work > 0) builder.work(work);
    if (idle > 0) builder.idle(idle);
    left -= work + idle;
  }
  return std::move(builder).finish(fmt::format("random work of {:.0f} s", duration.count()));
}

std::vector<RandomWork> kinds_for(double update_period_s, double covered_s) {
  const double shortest = std::max(kShortestWork, update_period_s / 4);
  std::vector<RandomWork> kinds;
  for (const double longest : {3 * update_period_s, covered_s, 3 * covered_s}) {
    for (const double long_share : {0.02, 0.12}) {
      kinds.push_back(
          {shortest, std::clamp(longest, std::max(3 * shortest, 0.03), 1.0), long_share});
    }
  }
  return kinds;
}

}  // namespace truewatt::characterize
