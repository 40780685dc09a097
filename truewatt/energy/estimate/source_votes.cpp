#include "truewatt/energy/estimate/source_votes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "truewatt/energy/estimate/lock_doubt.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// Two sources that differ by more standard uncertainties than this disagree (0.1 % by chance).
constexpr double kDisagree = 3.29;
/// What sources of one board that were not compared with each other scatter by, of the energy.
constexpr double kRelativeGain = 0.05;

/// The energy that a source alone makes of all that every source has read.
struct Vote {
  SourceId source;
  Uncertain joules;
};

/// Seconds in holes of a source's readings: the board may have drawn anything there.
double unread_by(const ObservedSource& source) {
  constexpr double kHole = 2.5;  // periods
  double seconds = 0.0;
  for (std::size_t i = 1; i < source.readings.size(); ++i) {
    const ObservedReading& reading = source.readings[i];
    const double apart = reading.time - source.readings[i - 1].time - reading.span;
    const bool is_counted = source.look == Look::counter && !reading.is_first;
    if (!is_counted && apart > kHole * source.period) seconds += apart - source.period;
  }
  return seconds;
}

/// Votes of a board's sources.
class Ballot {
 public:
  Ballot(const ObservedBoard& board, const CourseHints& hints, const CourseWindow& span)
      : board_(board), hints_(hints), span_(span) {}

  void add(const ObservedSource& source) {
    const EnergyCourse alone(with_only(source), hints_, CourseDetail::total);
    passes_ += alone.passes();
    const CourseEnergy energy = alone.energy(span_);
    const double idle_j = board_.lowest_w * (span_.end - span_.begin);
    const bool may_hide = hints_.work.empty() && source.look != Look::counter;
    const double hidden =
        may_hide ? alias_gain(source) / 3 * std::abs(energy.joules - idle_j) : 0.0;
    const double unread = unread_by(source) * (board_.limit_w - board_.lowest_w) / std::sqrt(12.0);
    votes_.push_back(
        {source.source,
         {energy.joules, numerics::quadrature({energy.standard_uncertainty, hidden, unread,
                                               kRelativeGain * energy.joules})}});
  }

  bool any_differ() const {
    const std::vector<std::size_t> counts = against();
    return std::any_of(counts.begin(), counts.end(), [](std::size_t n) { return n > 0; });
  }

  /// Removes the one that contradicts more others than any other does; nothing where none does.
  std::optional<SourceId> take_odd_one() {
    const std::vector<std::size_t> counts = against();
    const auto most = std::max_element(counts.begin(), counts.end());
    if (std::count(counts.begin(), counts.end(), *most) != 1) return std::nullopt;
    const auto odd = votes_.begin() + (most - counts.begin());
    const SourceId source = odd->source;
    votes_.erase(odd);
    return source;
  }

  bool has(SourceId source) const {
    return std::any_of(votes_.begin(), votes_.end(),
                       [source](const Vote& vote) { return vote.source == source; });
  }
  std::size_t size() const { return votes_.size(); }
  int passes() const { return passes_; }

 private:
  ObservedBoard with_only(const ObservedSource& source) const {
    ObservedBoard one = board_;
    one.sources = {source};
    one.witnesses.clear();
    return one;
  }

  static bool differ(const Vote& a, const Vote& b) {
    const double sd =
        numerics::quadrature({a.joules.standard_uncertainty, b.joules.standard_uncertainty});
    return std::abs(a.joules.value - b.joules.value) > kDisagree * sd;
  }

  /// How many others each contradicts.
  std::vector<std::size_t> against() const {
    std::vector<std::size_t> counts(votes_.size(), 0);
    for (std::size_t i = 0; i < votes_.size(); ++i) {
      for (std::size_t j = 0; j < votes_.size(); ++j) {
        if (i != j && differ(votes_[i], votes_[j])) ++counts[i];
      }
    }
    return counts;
  }

  const ObservedBoard& board_;
  const CourseHints& hints_;
  CourseWindow span_;
  std::vector<Vote> votes_;
  int passes_ = 0;
};

/// What every source has read.
CourseWindow common_span(const ObservedBoard& board) {
  CourseWindow span{-1e300, 1e300};
  for (const ObservedSource& source : board.sources) {
    span.begin = std::max(span.begin, source.readings.front().time);
    span.end = std::min(span.end, source.readings.back().time);
  }
  return span;
}

/// The first reading at or behind a time, but for the very first.
std::size_t first_from(const std::vector<ObservedReading>& readings, double time) {
  const auto at =
      std::lower_bound(readings.begin(), readings.end(), time,
                       [](const ObservedReading& reading, double t) { return reading.time < t; });
  return std::max<std::size_t>(1, static_cast<std::size_t>(at - readings.begin()));
}

/// What a counter counted between its first and last reading within a window.
struct Counted {
  CourseWindow span;
  double joules = 0.0;
};

Counted counted_within(const ObservedSource& counter, const CourseWindow& window) {
  Counted counted{{window.end, window.end}};
  const auto& readings = counter.readings;
  for (std::size_t i = first_from(readings, window.begin);
       i < readings.size() && readings[i].time <= window.end; ++i) {
    if (readings[i - 1].time < window.begin) continue;
    if (readings[i].is_first || counted.joules == 0.0) counted = {{readings[i - 1].time}, 0.0};
    if (!readings[i].is_first) counted.joules += readings[i].value;
    counted.span.end = readings[i].time;
  }
  return counted;
}

/// What a counter counted and a power source showed in a stretch.
struct Stretch {
  CourseWindow span;
  double counted = 0.0;
  double shown = 0.0;
  double swing = 0.0;  ///< W, by how much the readings in it and beside it differ
};

/// The recording in stretches of many readings of both.
std::vector<Stretch> stretches_of(const ObservedSource& counter, const ObservedSource& power) {
  constexpr double kShortest = 5.0;   // s
  constexpr double kReadings = 10.0;  // of each
  const double length = std::max(kShortest, kReadings * std::max(counter.period, power.period));
  std::vector<Stretch> stretches;
  auto first = power.readings.begin();
  Stretch now{{counter.readings.front().time, counter.readings.front().time}};
  for (const ObservedReading& reading : counter.readings) {
    if (reading.is_first) {
      now = Stretch{{reading.time, reading.time}};
      continue;
    }
    now.counted += reading.value;
    now.span.end = reading.time;
    if (now.span.end - now.span.begin < length) continue;
    while (first != power.readings.end() && first->time < now.span.begin - power.period) ++first;
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (auto at = first; at != power.readings.end(); ++at) {
      if (at->time > now.span.end + power.period) break;
      least = std::min(least, at->value);
      most = std::max(most, at->value);
    }
    now.swing = std::max(0.0, most - least);
    now.shown = shown_within(power, now.span);
    if (now.shown > 0) stretches.push_back(now);
    now = Stretch{{reading.time, reading.time}};
  }
  return stretches;
}

/// Stretches in which a counter and a power source are in another proportion than in most.
void add_contradictions(const ObservedSource& counter, const ObservedSource& power,
                        std::vector<CourseWindow>& found) {
  constexpr double kRelative = 0.03;
  constexpr double kOffset = 2.0;  // W
  constexpr std::size_t kFewest = 4;
  const std::vector<Stretch> stretches = stretches_of(counter, power);
  if (stretches.size() < kFewest) return;
  std::vector<double> ratios;
  for (const Stretch& one : stretches) ratios.push_back(one.counted / one.shown);
  const double usual = *numerics::median(std::move(ratios));
  const double back = power.period + power.window + power.time_constant + counter.period;
  for (const Stretch& one : stretches) {
    const double sd =
        numerics::quadrature({kRelative * one.counted, kRelative * one.shown,
                              kOffset * (one.span.end - one.span.begin), back * one.swing});
    if (std::abs(one.counted - usual * one.shown) > kDisagree * sd) found.push_back(one.span);
  }
}

}  // namespace

double swing_of(const ObservedSource& power) {
  const auto [least, most] = std::minmax_element(
      power.readings.begin(), power.readings.end(),
      [](const ObservedReading& a, const ObservedReading& b) { return a.value < b.value; });
  return most->value - least->value;
}

double shown_within(const ObservedSource& source, const CourseWindow& span) {
  double joules = 0.0;
  const auto& readings = source.readings;
  for (std::size_t i = first_from(readings, span.begin);
       i < readings.size() && readings[i - 1].time < span.end; ++i) {
    const double from = std::max(readings[i - 1].time, span.begin);
    const double to = std::min(readings[i].time, span.end);
    const bool is_mean = readings[i].span > 0;
    const double before = is_mean ? readings[i].value : readings[i - 1].value;
    if (to > from) joules += (before + readings[i].value) / 2 * (to - from);
  }
  return joules;
}

bool counted_and_shown_differ(const ObservedBoard& board, const CourseWindow& window) {
  constexpr double kFewest = 4.0;          // periods
  constexpr double kRelativeOffset = 5.0;  // W
  const auto differs = [&](const ObservedSource& counter, const ObservedSource& power) {
    const auto [span, counted] = counted_within(counter, window);
    const double length = span.end - span.begin;
    if (!(length > kFewest * std::max(counter.period, power.period))) return false;
    const double shown = shown_within(power, span);
    // At its edges a window is shown as late as the source looks back.
    const double back = power.period + power.window + power.time_constant;
    const double edges = back * swing_of(power);
    const double sd = numerics::quadrature(
        {kRelativeGain * counted, kRelativeGain * shown, kRelativeOffset * length, edges});
    return std::abs(counted - shown) > kDisagree * sd;
  };
  for (const ObservedSource& counter : board.sources) {
    if (counter.look != Look::counter) continue;
    for (const ObservedSource& power : board.sources) {
      if (power.look != Look::counter && differs(counter, power)) return true;
    }
  }
  return false;
}

std::vector<CourseWindow> contradictions_of(const ObservedBoard& board) {
  std::vector<CourseWindow> found;
  for (const ObservedSource& counter : board.sources) {
    if (counter.look != Look::counter || counter.is_characterized) continue;
    for (const ObservedSource& power : board.sources) {
      const bool is_unknown = power.look != Look::counter && !power.is_characterized;
      if (is_unknown) add_contradictions(counter, power, found);
    }
  }
  return found;
}

SourceVotes drop_odd_ones(ObservedBoard& board, const CourseHints& hints) {
  SourceVotes result;
  if (board.sources.size() < 2) return result;
  const CourseWindow span = common_span(board);
  if (!(span.end - span.begin > 4 * board.sources.back().period)) return result;
  const ObservedBoard all = board;
  Ballot ballot(all, hints, span);
  for (const ObservedSource& source : all.sources) ballot.add(source);
  if (ballot.any_differ()) {
    for (const ObservedSource& witness : all.witnesses) ballot.add(witness);
  }
  result.passes = ballot.passes();
  while (ballot.size() > 1 && ballot.any_differ()) {
    const auto odd = ballot.take_odd_one();
    if (!odd) {
      result.disagree = true;
      return result;
    }
    result.dropped.push_back({*odd, Reason::sources_disagree});
    std::erase_if(board.sources, [&](const auto& source) { return source.source == *odd; });
  }
  if (!board.sources.empty()) return result;
  for (const ObservedSource& witness : all.witnesses) {
    if (ballot.has(witness.source)) board.sources.push_back(witness);
  }
  result.disagree = board.sources.empty();
  return result;
}

std::vector<SourceId> misfits_of(const EnergyCourse& course) {
  constexpr double kMisfits = 3.0;
  std::vector<SourceId> published;
  const auto& sources = course.board().sources;
  const bool misfit = std::any_of(course.fits().begin(), course.fits().end(),
                                  [](const SourceFit& fit) { return fit.misfit > kMisfits; });
  if (!misfit) return published;
  for (const ObservedSource& source : sources) {
    const bool goes_by_it = source.as_published == true && !source.is_characterized;
    if (goes_by_it && source.look != Look::counter) published.push_back(source.source);
  }
  if (published.size() == sources.size()) published.clear();
  return published;
}

bool levels_disagree(const EnergyCourse& course) {
  constexpr double kIdleShare = 0.1;
  constexpr double kIdleWatts = 12.0;
  constexpr double kGains = 0.15;
  const ObservedBoard& board = course.board();
  const auto off = [](const SourceFit& fit, double power) {
    return std::abs((fit.gain - 1) * power + fit.offset_w);
  };
  const double lowest = board.lowest_w;
  return std::any_of(course.fits().begin(), course.fits().end(), [&](const SourceFit& fit) {
    return off(fit, lowest) > std::max(kIdleShare * lowest, kIdleWatts) ||
           off(fit, board.highest_w) > kGains * board.highest_w;
  });
}

}  // namespace truewatt::energy
