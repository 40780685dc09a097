#include "truewatt/energy/observe/trailing_second.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "truewatt/energy/observe/reading_scatter.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::energy {
namespace {

constexpr double kSecond = 1.0;
/// Readings are looked at so often; s.
constexpr double kStep = 0.1;
constexpr double kSlowest = 0.25;
/// An edge is so much of the range of all readings ...
constexpr double kOfRange = 0.3;
/// ... within so much of itself of a straight line, which is as long as a second, within so much.
constexpr double kStraight = 0.08;
constexpr double kShort = 0.85;
constexpr double kLong = 1.2;
/// A step of so much of the range is faster than any mean over a second.
constexpr double kAtOnce = 0.6;

/// Readings that rise or fall one after the other, from `begin` to `end`.
struct Run {
  double begin = 0.0;   ///< s
  double change = 0.0;  ///< W
  double steepest = 0.0;
  double line = 0.0;  ///< s that the change would take, as fast as its inner steps; 0: not straight
};

std::vector<ObservedReading> every_step(const std::vector<ObservedReading>& readings,
                                        double period) {
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::round(kStep / period)));
  std::vector<ObservedReading> some;
  for (std::size_t i = 0; i < readings.size(); i += stride) some.push_back(readings[i]);
  return some;
}

/// Nobody read what was between this reading and the one before.
bool is_behind_hole(const std::vector<ObservedReading>& readings, std::size_t i, double step) {
  constexpr double kMissing = 2.5;
  return readings[i].time - readings[i - 1].time > kMissing * step;
}

Run run_between(const std::vector<ObservedReading>& readings, std::size_t from, std::size_t to) {
  Run run{.begin = readings[from].time, .change = readings[to].value - readings[from].value};
  for (std::size_t i = from + 1; i <= to; ++i) {
    run.steepest = std::max(run.steepest, std::abs(readings[i].value - readings[i - 1].value));
  }
  if (to < from + 4) return run;
  // The first and the last step hold only a part of theirs.
  const ObservedReading& first = readings[from + 1];
  const ObservedReading& last = readings[to - 1];
  const double slope = (last.value - first.value) / (last.time - first.time);
  for (std::size_t i = from + 2; i + 1 < to; ++i) {
    const double on_line = first.value + slope * (readings[i].time - first.time);
    if (std::abs(readings[i].value - on_line) > kStraight * std::abs(run.change)) return run;
  }
  run.line = run.change / slope;
  return run;
}

std::vector<Run> runs_of(const std::vector<ObservedReading>& readings, double least, double step) {
  std::vector<Run> runs;
  for (std::size_t i = 1; i < readings.size();) {
    const double first = readings[i].value - readings[i - 1].value;
    if (std::abs(first) < least || is_behind_hole(readings, i, step)) {
      ++i;
      continue;
    }
    const std::size_t from = i - 1;
    const double sign = first > 0 ? 1.0 : -1.0;
    while (i < readings.size() && !is_behind_hole(readings, i, step) &&
           sign * (readings[i].value - readings[i - 1].value) >= least) {
      ++i;
    }
    runs.push_back(run_between(readings, from, i - 1));
  }
  return runs;
}

bool mirrors(const Run& up, const Run& down) {
  constexpr double kAlike = 0.15;
  constexpr double kTogether = 0.12;  // s, of readings a tenth apart
  return up.line > 0 && down.line > 0 && up.line < kShort && up.change > 0 &&
         std::abs(up.change + down.change) < kAlike * up.change &&
         std::abs(up.line - down.line) < kAlike * kSecond &&
         std::abs(down.begin - up.begin - kSecond) < kTogether;
}

}  // namespace

bool step_at_once(const std::vector<ObservedReading>& readings) {
  constexpr double kLeastRange = 10.0;  // W
  if (readings.empty()) return false;
  const auto [low, high] =
      std::minmax_element(readings.begin(), readings.end(),
                          [](const auto& a, const auto& b) { return a.value < b.value; });
  const double range = high->value - low->value;
  if (range < kLeastRange) return false;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].time - readings[i - 1].time > kSlowest) continue;
    if (std::abs(readings[i].value - readings[i - 1].value) > kAtOnce * range) return true;
  }
  return false;
}

bool show_trailing_second(const std::vector<ObservedReading>& readings, double period) {
  constexpr int kFewest = 2;
  constexpr double kLeastRange = 10.0;  // W
  if (!(period > 0) || period > kSlowest || readings.size() < 10) return false;
  const std::vector<ObservedReading> some = every_step(readings, period);
  const auto [low, high] = std::minmax_element(
      some.begin(), some.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  const double range = high->value - low->value;
  if (range < kLeastRange) return false;
  const double step = std::max(1.0, std::round(kStep / period)) * period;
  const std::vector<Run> runs = runs_of(some, std::max(0.02 * range, 3 * scatter_of(some)), step);
  int edges = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    if (run.steepest > kAtOnce * range) return false;
    if (std::abs(run.change) < kOfRange * range) continue;
    if (run.line > kShort && run.line < kLong) ++edges;
    if (i + 1 < runs.size() && mirrors(run, runs[i + 1])) edges += kFewest;
  }
  return edges >= kFewest;
}

namespace {

/// Of readings: from each in a line to the next one; what stood for longer than usual went then.
class Integral {
 public:
  explicit Integral(const Trace& trace) : samples_(trace.samples) {
    std::vector<double> apart;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      apart.push_back(seconds_between(samples_[i - 1].seen, samples_[i].seen));
    }
    usual_ = to_nanoseconds(Seconds(numerics::median(std::move(apart)).value_or(0.0)));
    double sum = 0.0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (i > 0) sum += between(i - 1, samples_[i].seen);
      until_.push_back(sum);
    }
  }
  /// From the first sample until then, J; times must not run backwards.
  double at(HostTime time) {
    while (next_ + 1 < until_.size() && samples_[next_ + 1].seen <= time) ++next_;
    return until_[next_] + between(next_, time);
  }
  /// As it was shown at the time last asked for.
  double value() const { return samples_[next_].value; }

 private:
  /// From sample `i` until then, J, not behind the next.
  double between(std::size_t i, HostTime time) const {
    const Sample& from = samples_[i];
    if (i + 1 == samples_.size()) return from.value * seconds_between(from.seen, time);
    const Sample& to = samples_[i + 1];
    const HostTime left = std::max(from.seen, to.seen - usual_);
    const double stood = from.value * seconds_between(from.seen, std::min(time, left));
    const double length = seconds_between(left, to.seen);
    const double gone = time > left ? seconds_between(left, time) : 0.0;
    if (!(gone > 0 && length > 0)) return stood;
    return stood + gone * (from.value + (to.value - from.value) * gone / length / 2);
  }

  const std::vector<Sample>& samples_;
  Nanoseconds usual_{};  ///< from one to the next
  std::vector<double> until_;
  std::size_t next_ = 0;
};

/// What readings scatter by, W: themselves, and about what another source shows.
struct Scatters {
  double own = 0.0;
  double off_mean = 0.0;   ///< about the mean of the last second
  double off_value = 0.0;  ///< about what it shows at the same time
};

/// Nothing where readings are fewer than that.
std::optional<Scatters> scatters_of(const Trace& slow, const Trace& fast, std::size_t fewest) {
  if (slow.samples.size() < fewest || fast.samples.size() < fewest) return std::nullopt;
  const HostTime from = fast.samples.front().seen + to_nanoseconds(Seconds(kSecond));
  Integral now(fast);
  Integral before(fast);
  std::vector<double> shown;
  std::vector<double> off_mean;
  std::vector<double> off_value;
  for (const Sample& sample : slow.samples) {
    if (sample.seen < from || sample.seen > fast.end) continue;
    const double until = now.at(sample.seen);
    const double mean = until - before.at(sample.seen - to_nanoseconds(Seconds(kSecond)));
    shown.push_back(sample.value);
    off_mean.push_back(sample.value - mean / kSecond);
    off_value.push_back(sample.value - now.value());
  }
  if (shown.size() < fewest) return std::nullopt;
  return Scatters{numerics::summarize(shown)->sd, numerics::summarize(off_mean)->sd,
                  numerics::summarize(off_value)->sd};
}

constexpr double kLeastScatter = 3.0;  // W

}  // namespace

bool shows_last_second_of(const Trace& slow, const Trace& fast) {
  constexpr std::size_t kFewest = 30;
  constexpr double kNear = 0.35;
  constexpr double kNearer = 0.5;
  const auto found = scatters_of(slow, fast, kFewest);
  return found && found->own > kLeastScatter && found->off_mean < kNear * found->own &&
         found->off_mean < kNearer * found->off_value;
}

bool is_nearer_to_last_second_of(const Trace& slow, const Trace& fast) {
  constexpr std::size_t kFewest = 10;
  const auto found = scatters_of(slow, fast, kFewest);
  return found && found->own > kLeastScatter && found->off_mean < found->off_value;
}

}  // namespace truewatt::energy
