#include "truewatt/replication/burtscher/burtscher_phases.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/summary.hpp"
#include "truewatt/replication/readers/power_readings.hpp"

namespace truewatt::replication::burtscher {
namespace {

constexpr double kSide = 0.45;  // s; the paper's stairs are a second apart
constexpr double kSideInUpdates = 4.0;
constexpr double kIdleLength = 5.0;  // s before the load
constexpr double kSignificant = 5.0;
/// The authors' tool waits until the power changes by less than this from second to second, and
/// takes what is less than twice that above idle for idle.
constexpr double kSteady = 0.25;  // W
constexpr double kNearIdle = 0.5;
/// What follows a load is compared with the idle before to this share of the load's power.
constexpr double kSameLevel = 0.01;
constexpr std::size_t kFewestOfIdle = 20;

bool is_earlier(const ticks::Tick& tick, double time) { return tick.time < time; }

/// Energy of the corrected power from the first reading on (docs/method.md, section 9).
class CorrectedEnergy {
 public:
  CorrectedEnergy(Readings readings, double constant) : readings_(readings) {
    double sum = 0.0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (i > 0) {
        sum += (readings[i].time - readings[i - 1].time) *
               (readings[i].value + readings[i - 1].value) / 2;
      }
      joules_.push_back(sum + constant * readings[i].value);
    }
  }

  double first() const { return readings_.front().time; }
  double last() const { return readings_.back().time; }

  double at(double time) const {
    const auto found = std::lower_bound(readings_.begin(), readings_.end(), time, is_earlier);
    const auto i = static_cast<std::size_t>(found - readings_.begin());
    if (i == 0) return joules_.front();
    if (i == readings_.size()) return joules_.back();
    const double share =
        (time - readings_[i - 1].time) / (readings_[i].time - readings_[i - 1].time);
    return joules_[i - 1] + share * (joules_[i] - joules_[i - 1]);
  }

  double mean(double from, double until) const { return (at(until) - at(from)) / (until - from); }

 private:
  Readings readings_;
  std::vector<double> joules_;
};

/// Mean power after every reading minus that before it.
struct Differences {
  std::vector<PowerStep> at;
  double side = 0.0;  ///< s; of the means

  std::vector<PowerStep> between(double from, double until) const {
    std::vector<PowerStep> some;
    for (const PowerStep& one : at) {
      if (one.time >= from && one.time <= until) some.push_back(one);
    }
    return some;
  }
};

Differences differences_of(Readings readings, const CorrectedEnergy& energy) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    intervals.push_back(readings[i].time - readings[i - 1].time);
  }
  Differences result;
  result.side = std::max(kSide, kSideInUpdates * numerics::summarize(intervals)->median);
  for (const ticks::Tick& tick : readings) {
    const double from = tick.time - result.side;
    const double until = tick.time + result.side;
    if (from < energy.first() || until > energy.last()) continue;
    result.at.push_back({tick.time, energy.mean(tick.time, until) - energy.mean(from, tick.time)});
  }
  return result;
}

bool rises_less(const PowerStep& a, const PowerStep& b) { return a.change_w < b.change_w; }

/// Falls by more than `least` that are the deepest within a side's length of them.
std::vector<PowerStep> falls(const Differences& differences, double from, double least) {
  std::vector<PowerStep> found;
  for (const PowerStep& one : differences.at) {
    if (one.time < from || one.change_w > -least) continue;
    const auto around =
        differences.between(one.time - differences.side, one.time + differences.side);
    const auto deepest = std::min_element(around.begin(), around.end(), rises_less);
    if (deepest->time == one.time) found.push_back(one);
  }
  return found;
}

/// The level between two steps, away from both by `margin`.
double level_between(const CorrectedEnergy& energy, double from, double until, double margin) {
  return until - from > 4 * margin ? energy.mean(from + margin, until - margin)
                                   : energy.mean(from, until);
}

struct Tolerances {
  double step_w = 0.0;   ///< least step to believe
  double level_w = 0.0;  ///< within which two levels are one
  double margin = 0.0;   ///< s; by how much a step's time may be off
};

/// When the readings show idle again; where there are no stairs that is the end.
std::optional<double> idle_again(Readings readings, const Phases& phases,
                                 const Tolerances& tolerances) {
  const auto found = std::find_if(readings.begin(), readings.end(), [&](const ticks::Tick& tick) {
    return tick.time >= *phases.t2 && tick.value - phases.idle_w < tolerances.level_w;
  });
  return found == readings.end() ? std::nullopt : std::optional(found->time);
}

/// What follows t2: active idle, stairs and idle.
void find_tail(Phases& phases, Readings readings, const Differences& differences,
               const CorrectedEnergy& energy, const Tolerances& tolerances) {
  const double begin = *phases.t2 + differences.side + tolerances.margin;
  phases.stairs = falls(differences, begin, tolerances.step_w);
  const double margin = tolerances.margin;
  const double last = phases.stairs.empty() ? *phases.t2 : phases.stairs.back().time;
  const double first = phases.stairs.empty() ? energy.last() : phases.stairs.front().time;
  if (energy.last() - last < 2 * margin + differences.side) return;  // cut short
  const bool is_idle = std::abs(level_between(energy, last, energy.last(), margin) -
                                phases.idle_w) < tolerances.level_w;
  const double after = level_between(energy, *phases.t2, first, margin);
  if (!phases.stairs.empty()) phases.t3 = first;
  if (is_idle) {
    phases.t4 = phases.stairs.empty() ? idle_again(readings, phases, tolerances) : last;
  }
  if (std::abs(after - phases.idle_w) >= tolerances.level_w) phases.active_idle_w = after;
}

}  // namespace

std::optional<Phases> find_phases(Readings readings, double constant,
                                  const identification::Work& load) {
  if (readings.size() < 2 * kFewestOfIdle) return std::nullopt;
  const CorrectedEnergy energy(readings, constant);
  const Differences differences = differences_of(readings, energy);
  const double side = differences.side;
  std::vector<double> idle;
  for (const PowerStep& one : differences.between(energy.first(), load.begin - side)) {
    idle.push_back(one.change_w);
  }
  const auto scatter = numerics::summarize(idle);
  if (!scatter || scatter->count < kFewestOfIdle) return std::nullopt;
  const auto near_load = differences.between(load.begin - side, load.end + 2 * side);
  if (near_load.empty()) return std::nullopt;
  const double margin = side / 10;
  const double least = std::max(kNearIdle, kSignificant * scatter->sd);
  const auto up = *std::max_element(near_load.begin(), near_load.end(), rises_less);
  if (up.change_w < least) return std::nullopt;

  Phases phases{.t1 = up.time};
  const double from = std::max(energy.first(), load.begin - kIdleLength);
  const double until = load.begin - margin;
  phases.idle_w = energy.mean(from, until);
  const double middle = (from + until) / 2;
  phases.idle_is_steady = std::abs(energy.mean(from, middle) - energy.mean(middle, until)) <
                          std::max(kSteady, kSignificant * scatter->sd);
  const auto after = differences.between(up.time, load.end + 2 * side);
  const auto down = std::min_element(after.begin(), after.end(), rises_less);
  const bool ends = down != after.end() && down->change_w < -least;
  const double last = ends ? down->time : std::min(load.end, energy.last());
  // What averages over long is there in the later half.
  const double half_way = (up.time + last) / 2;
  phases.load_w =
      level_between(energy, half_way, last - side > half_way ? last - side : last, margin);
  if (!ends) return phases;
  phases.t2 = down->time;
  find_tail(phases, readings, differences, energy,
            {.step_w = least,
             .level_w = std::max({kNearIdle, kSignificant * scatter->sd / 2,
                                  kSameLevel * (phases.load_w - phases.idle_w)}),
             .margin = margin});
  return phases;
}

}  // namespace truewatt::replication::burtscher
