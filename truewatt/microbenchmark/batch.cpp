#include "truewatt/microbenchmark/batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "truewatt/energy/aggregate/estimate_budget.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/validity/validity.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/microbenchmark/idle.hpp"
#include "truewatt/microbenchmark/pace.hpp"

namespace truewatt::microbenchmark {
namespace {

using uncertainty::Budget;

/// From the begin of idle until it counts: before, what the recording began in; behind, while the
/// board comes down.
constexpr Seconds kIdleSettles{0.5};
/// Of a long stretch, what does not count at least.
constexpr double kSettlesShare = 0.25;
/// Recorded behind it, for readings that show its end late.
constexpr Seconds kTail{0.6};
/// NVML's bit of the software power cap.
constexpr std::uint64_t kPowerCap = 0x4;
/// A board that draws so much of its limit is held to it.
constexpr double kAtLimit = 0.98;
/// Before the schedule begins: what decides where a source's ticks lie.
constexpr Seconds kLead{0.3};

bool same_work(const PointOf& a, const PointOf& b) {
  return a.kernel == b.kernel && a.share == b.share;
}

/// The points in an order in which no two neighbours are the same work, which would be played as
/// one stretch; those that no place is left for are left out.
std::vector<PointOf> apart(std::vector<PointOf> points) {
  std::vector<PointOf> ordered;
  while (!points.empty()) {
    auto next = std::find_if(points.begin(), points.end(), [&](const PointOf& point) {
      return ordered.empty() || !same_work(ordered.back(), point);
    });
    if (next == points.end()) break;
    ordered.push_back(*next);
    points.erase(next);
  }
  return ordered;
}

load::Schedule schedule_of(const std::vector<PointOf>& points, const BatchOptions& options) {
  load::Schedule schedule{{{Seconds(0), 0.0}}, options.idle, "microbenchmark"};
  for (const PointOf& point : points) {
    schedule.steps.push_back({schedule.duration, point.share, point.kernel});
    schedule.duration += point.stretch * options.length;
  }
  schedule.steps.push_back({schedule.duration, 0.0});
  schedule.duration += options.idle;
  return schedule;
}

/// The part of a run that counts, and what was done in it.
struct Counted {
  Window window;
  double iterations = 0.0;  ///< of all threads
};

std::optional<Counted> counted_of(const load::KernelRun& run, Seconds at_least) {
  const Seconds settles =
      std::max(at_least, kSettlesShare * Seconds(run.span.end - run.span.begin));
  const auto first = std::find_if(run.pieces.begin(), run.pieces.end(), [&](const auto& piece) {
    return Seconds(piece.end - run.span.begin) >= settles;
  });
  if (first == run.pieces.end() || std::next(first) == run.pieces.end()) return std::nullopt;
  return Counted{{first->end, run.pieces.back().end, std::string(run.kernel->name())},
                 run.threads * (run.pieces.back().iterations - first->iterations)};
}

/// Mean of what a source of the memory read in the window, but for its begin: such sources average
/// over a second. Nothing where fewer than three readings came.
std::optional<double> memory_power(const Recording& recording, const Window& window) {
  constexpr Nanoseconds kAveraged = std::chrono::milliseconds(1500);
  constexpr int kFewest = 3;
  for (const Trace& trace : recording.traces) {
    if (trace.source.scope != Scope::memory || counts_energy(trace.source)) continue;
    double sum = 0.0;
    int seen = 0;
    for (const Sample& sample : trace.samples) {
      if (sample.seen < window.begin + kAveraged || sample.seen > window.end) continue;
      sum += sample.value;
      ++seen;
    }
    if (seen >= kFewest) return sum / seen;
  }
  return std::nullopt;
}

/// The highest clock that a recording saw, MHz; 0: none.
double highest_clock(const Recording& recording) {
  double highest = 0.0;
  for (const HealthSample& health : recording.health) {
    highest = std::max(highest, health.sm_clock_mhz.value_or(0.0));
  }
  return highest;
}

/// Mean of the clock seen in the window, and whether a limit lowered it. What it returns: by which
/// limits, NVML's bits.
std::uint64_t look_at_clocks(const Recording& recording, const Window& window, Point& point) {
  double sum = 0.0;
  int seen = 0;
  const double power_w = point.energy_j.value() / point.length.count();
  const auto& limit = recording.device.power_limit;
  constexpr double kLowered = 0.995;  // clocks go in steps of 0.8 %
  const double highest = highest_clock(recording);
  const bool at_limit = !limit || is_near_limit(Watts(power_w), limit);
  // A stretch of some tenths of a second may end before the driver says so, at clocks that it says
  // are the highest.
  point.limited = limit && power_w >= kAtLimit * limit->value();
  std::uint64_t limits = 0;
  for (const HealthSample& health : recording.health) {
    // At its very end the next stretch has begun.
    if (health.time < window.begin || health.time >= window.end) continue;
    if (health.sm_clock_mhz) {
      sum += 1e6 * *health.sm_clock_mhz;
      ++seen;
    }
    // The driver still names the power cap some 0.1 s after a kernel that met it, when the clock is
    // back. A board may meet what holds it below the limit that it names.
    const bool is_lowered = health.sm_clock_mhz.value_or(highest) < kLowered * highest;
    const std::uint64_t limiting =
        at_limit || is_lowered ? energy::kLimitingReasons : energy::kLimitingReasons & ~kPowerCap;
    limits |= health.clocks_event_reasons.value_or(0) & limiting;
  }
  point.limited = point.limited || limits != 0;
  if (seen > 0) point.clock_hz = sum / seen;
  return limits;
}

/// Estimates of windows of one recording, each with a number of its own among all windows: their
/// random errors are independent.
class Windows {
 public:
  Windows(const Recording& recording, const energy::Knowledge& knowledge,
          const BatchOptions& options, std::span<const Window> marks)
      : estimator_(recording, knowledge, options.estimate, marks), next_(options.first_run) {}

  struct Energy {
    Budget budget;
    energy::EnergyEstimate estimate;
  };
  std::optional<Energy> of(const Window& window) {
    energy::EnergyEstimate estimate = estimator_.estimate(window);
    const int run = next_++;
    if (!estimate.energy) return std::nullopt;
    Budget budget = energy::budget_of(estimate, energy::Quantity::gross, {"microbenchmark", run});
    return Energy{as_in_random_order(budget, run), std::move(estimate)};
  }
  int next() const { return next_; }

 private:
  energy::EnergyEstimator estimator_;
  int next_;
};

/// The recent power behind a stretch: boards keep its warmth for some seconds (an H100 draws 3 to 4
/// % of it more).
double recent_after(double recent_w, Seconds length, double power_w) {
  constexpr Seconds kForgets{3.0};
  const double left = std::exp(-(length / kForgets));
  return left * recent_w + (1 - left) * power_w;
}

double seconds_of(const Window& window) { return Seconds(window.end - window.begin).count(); }

/// Idle power on both sides; between them on a line. What its readings err by at random is not in
/// it: it is the same for all kernels between them (Batch::idle_change_w has it).
struct Idle {
  Budget before_w;
  Budget after_w;
  HostTime from;
  HostTime until;

  Budget at(HostTime time) const {
    const double share = std::clamp(Seconds(time - from) / Seconds(until - from), 0.0, 1.0);
    const Budget parts[] = {before_w, after_w};
    const double weights[] = {1.0 - share, share};
    return uncertainty::weighted_sum(parts, weights).without(uncertainty::averages_out);
  }
};

std::vector<std::pair<energy::Reader, double>> readers_above(const energy::EnergyEstimate& estimate,
                                                             const energy::EnergyEstimate& idle) {
  std::vector<std::pair<energy::Reader, double>> above;
  for (const energy::ReaderEnergy& one : estimate.readers) {
    for (const energy::ReaderEnergy& baseline : idle.readers) {
      const bool known = one.reader == baseline.reader && one.energy && baseline.energy &&
                         baseline.over.count() > 0 && one.over.count() > 0;
      if (!known) continue;
      const double power =
          one.energy->value() / one.over.count() - baseline.energy->value() / baseline.over.count();
      above.emplace_back(one.reader, power * estimate.window.count());
    }
  }
  return above;
}

Batch estimate(const Recording& recording, const energy::Knowledge& knowledge,
               const load::Execution& execution, const std::vector<PointOf>& points,
               const BatchOptions& options) {
  Batch batch;
  std::vector<Window> marks;
  std::vector<std::optional<Counted>> counted;
  for (const load::KernelRun& run : execution.kernels) {
    marks.push_back({run.span.begin, run.span.end, std::string(run.kernel->name())});
    counted.push_back(counted_of(run, options.settles));
  }
  if (marks.empty()) return batch;
  const Window before{execution.begin + to_nanoseconds(kIdleSettles), marks.front().begin, "idle"};
  const Window after{marks.back().end + to_nanoseconds(kIdleSettles), execution.end, "idle"};
  Windows windows(recording, knowledge, options, marks);
  const auto idle_before = windows.of(before);
  const auto idle_after = windows.of(after);
  if (idle_before && idle_after) {
    const Idle idle{idle_before->budget.scaled(1 / seconds_of(before)),
                    idle_after->budget.scaled(1 / seconds_of(after)), before.end, after.begin};
    batch.idle_w = idle.at(before.end + (after.begin - before.end) / 2);
    batch.idle_change_w = idle.after_w.value() - idle.before_w.value();
    double recent_w = idle.before_w.value();
    std::optional<Watts> held;  // drawn by what ran before, where a limit held it or soon did
    for (std::size_t i = 0; i < counted.size() && i < points.size(); ++i) {
      if (!counted[i] || execution.kernels[i].kernel != points[i].kernel.get()) continue;
      const Window& window = counted[i]->window;
      const auto energy = windows.of(window);
      if (!energy) continue;
      const double before_w = recent_w;
      const double power_w = energy->budget.value() / seconds_of(window);
      recent_w = recent_after(before_w, Seconds(marks[i].end - marks[i].begin), power_w);
      const HostTime middle = window.begin + (window.end - window.begin) / 2;
      Point point{.of = points[i],
                  .energy_j = energy->budget,
                  .idle_j = idle.at(middle).scaled(seconds_of(window)),
                  .length = Seconds(seconds_of(window)),
                  .iterations = counted[i]->iterations,
                  .readers_j = readers_above(energy->estimate, idle_before->estimate),
                  .recent_w = before_w,
                  .memory_w = memory_power(recording, window),
                  .span = {window.begin, window.end},
                  .idle_span = {before.begin, before.end}};
      const std::uint64_t limits = look_at_clocks(recording, window, point);
      const bool still_held = is_still_held(held, Watts(power_w)) && limits == kPowerCap;
      if (still_held) continue;
      const bool may_hold =
          point.limited || is_near_limit(Watts(power_w), recording.device.power_limit);
      held = may_hold ? std::optional(Watts(power_w)) : std::nullopt;
      batch.points.push_back(std::move(point));
    }
  }
  batch.windows = windows.next() - options.first_run;
  return batch;
}

}  // namespace

Seconds length_of_batch(std::size_t points, Seconds length, Seconds idle) {
  return kLead + 2 * idle + static_cast<double>(points) * length;
}

Seconds length_of_batch(const std::vector<PointOf>& points, Seconds length, Seconds idle) {
  Seconds all = length_of_batch(0, length, idle);
  for (const PointOf& point : points) all += point.stretch * length;
  return all;
}

Result<Batch> play_batch(devices::DeviceSet& set, load::Load& load,
                         const std::vector<PointOf>& wanted, const BatchOptions& options) {
  const std::vector<PointOf> points = apart(wanted);
  const load::Schedule schedule = schedule_of(points, options);
  if (const auto ready = load.prepare(schedule); !ready) return Unexpected(ready.error());
  experiment::SessionOptions recorded{.polling = options.polling, .stop = options.stop};
  recorded.polling.all_health = true;
  auto session = experiment::Session::open(set, recorded);
  if (!session) return Unexpected(session.error());
  session->start();
  const auto executions =
      session->play({&load}, schedule, set.clock->now() + to_nanoseconds(kLead));
  if (!executions) return Unexpected(executions.error());
  session->settle(*executions, to_nanoseconds(kTail + options.idle - Pace{}.idle));
  const devices::Device& device = set.devices.front();
  Recording recording = session->recorder().recordings().front();
  // Work in steady stretches is evidence of what readings show only beside a known sensor.
  if (!device.known.profile) recording.activity.clear();
  return estimate(recording, device.knowledge(), executions->front(), points, options);
}

}  // namespace truewatt::microbenchmark
