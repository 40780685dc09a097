#include "truewatt/energy/estimate/source_votes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "truewatt/energy/estimate/lock_doubt.hpp"
#include "truewatt/energy/estimate/source_proportions.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// Gains scatter by so many standard uncertainties, of a source and of a difference.
constexpr double kSd = 2.0;
constexpr double kScatter = kSd * std::numbers::sqrt2;

/// The energy that a source alone makes of all that every source has read.
struct Vote {
  SourceId source;
  Uncertain joules;       ///< as if no load ran in step with it
  double hidden_j = 0.0;  ///< sd of what such a load would hide
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
    votes_.push_back({source.source,
                      {energy.joules, numerics::quadrature({energy.standard_uncertainty, unread,
                                                            kRelativeGain * energy.joules})},
                      hidden});
  }

  bool any_differ() const {
    const std::vector<std::size_t> counts = against();
    return std::any_of(counts.begin(), counts.end(), [](std::size_t n) { return n > 0; });
  }

  /// Removes the one that contradicts more others than any other does; of several the one that is
  /// further from all others, if it is much further; nothing where none is.
  std::optional<SourceId> take_odd_one() {
    constexpr double kMuch = 1.5;  // times
    const std::vector<std::size_t> counts = against();
    const std::size_t most = *std::max_element(counts.begin(), counts.end());
    std::vector<std::pair<double, std::size_t>> candidates;  // how far from all others
    for (std::size_t i = 0; i < votes_.size(); ++i) {
      if (counts[i] == most) candidates.emplace_back(distance(i), i);
    }
    std::sort(candidates.rbegin(), candidates.rend());
    const bool is_one = candidates.size() == 1 || candidates[0].first > kMuch * candidates[1].first;
    if (!is_one) return std::nullopt;
    const auto odd = votes_.begin() + static_cast<std::ptrdiff_t>(candidates[0].second);
    const SourceId source = odd->source;
    votes_.erase(odd);
    return source;
  }

  /// The one that contradicts all others, two or more, which agree: a load in step with each of
  /// them would hide as much from all. Removes it.
  std::optional<SourceId> take_lone_one() {
    const std::size_t others = votes_.size() - 1;
    if (others < 2) return std::nullopt;
    for (Vote& vote : votes_) vote.hidden_j = 0.0;
    const std::vector<std::size_t> counts = against();
    const auto lone = std::find(counts.begin(), counts.end(), others);
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (lone == counts.end() || all != 2 * others) return std::nullopt;
    const auto odd = votes_.begin() + (lone - counts.begin());
    const SourceId source = odd->source;
    votes_.erase(odd);
    return source;
  }

  /// By how much the votes of these sources differ from the first one's at most, of its joules,
  /// where that is more than gains scatter by (two standard uncertainties); 0 where none does.
  double apart(const std::vector<ObservedSource>& sources) const {
    const auto vote_of = [this](SourceId source) {
      return std::find_if(votes_.begin(), votes_.end(),
                          [source](const Vote& vote) { return vote.source == source; });
    };
    const auto first = vote_of(sources.front().source);
    double most = 0.0;
    for (const ObservedSource& source : sources) {
      const auto vote = vote_of(source.source);
      const double differs = std::abs(vote->joules.value - first->joules.value);
      const double sd = numerics::quadrature(
          {vote->joules.standard_uncertainty, first->joules.standard_uncertainty});
      if (differs > kSd * sd) most = std::max(most, differs / std::abs(first->joules.value));
    }
    return most;
  }

  bool has(SourceId source) const {
    return std::any_of(votes_.begin(), votes_.end(),
                       [source](const Vote& vote) { return vote.source == source; });
  }
  std::vector<std::pair<SourceId, double>> joules() const {
    std::vector<std::pair<SourceId, double>> all;
    for (const Vote& vote : votes_) all.emplace_back(vote.source, vote.joules.value);
    return all;
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
    const double sd = numerics::quadrature(
        {a.joules.standard_uncertainty, b.joules.standard_uncertainty, a.hidden_j, b.hidden_j});
    return std::abs(a.joules.value - b.joules.value) > kDisagree * sd;
  }

  /// J from all others together.
  double distance(std::size_t from) const {
    double sum = 0.0;
    for (const Vote& vote : votes_) sum += std::abs(votes_[from].joules.value - vote.joules.value);
    return sum;
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

}  // namespace

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
  const auto drop = [&](SourceId odd) {
    result.dropped.push_back({odd, Reason::sources_disagree});
    std::erase_if(board.sources, [&](const auto& source) { return source.source == odd; });
  };
  while (ballot.size() > 1 && ballot.any_differ()) {
    const auto odd = ballot.take_odd_one();
    if (!odd) {
      result.disagree = true;
      return result;
    }
    drop(*odd);
  }
  while (const auto odd = ballot.take_lone_one()) drop(*odd);
  if (!board.sources.empty()) {
    result.apart = ballot.apart(board.sources);
    result.span = span;
    result.joules = ballot.joules();
    return result;
  }
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

std::optional<SourceId> alone_where_none_agrees(const EnergyCourse& course,
                                                const SourceVotes& votes) {
  constexpr double kOutside = 0.01;
  const std::vector<ObservedSource>& sources = course.board().sources;
  const bool are_known =
      std::all_of(sources.begin(), sources.end(), [](const auto& s) { return s.is_characterized; });
  if (are_known || sources.size() < 2 || votes.joules.empty()) return std::nullopt;
  const auto by_joules = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] =
      std::minmax_element(votes.joules.begin(), votes.joules.end(), by_joules);
  const double joules = course.energy(votes.span).joules;
  if (joules > (1 - kOutside) * least->second && joules < (1 + kOutside) * most->second) {
    return std::nullopt;
  }
  const auto seen = [](const ObservedSource& source) {
    if (source.look == Look::counter) return 2.0;
    return std::min(1.0, (source.window + 2 * source.time_constant) / source.period);
  };
  return std::max_element(sources.begin(), sources.end(),
                          [&](const auto& a, const auto& b) { return seen(a) < seen(b); })
      ->source;
}

namespace {

/// How many other sources each contradicts whose levels differ by more than `gains` of the highest.
std::vector<std::size_t> level_contradictions(const EnergyCourse& course, double gains) {
  constexpr double kIdleShare = 0.1;
  constexpr double kIdleWatts = 12.0;
  constexpr double kSparse = 0.5;  // s
  const ObservedBoard& board = course.board();
  const std::vector<SourceFit>& fits = course.fits();
  // Slow rows tell little of levels: which is how well each is known.
  const bool is_sparse =
      std::any_of(board.sources.begin(), board.sources.end(),
                  [](const ObservedSource& source) { return source.period >= kSparse; });
  const auto differ = [&](const SourceFit& a, const SourceFit& b) {
    const auto apart = [&](double power) {
      const double differs = std::abs((a.gain - b.gain) * power + a.offset_w - b.offset_w);
      const double sd = numerics::quadrature({a.level_sd(power), b.level_sd(power)});
      return std::max(0.0, differs - (is_sparse ? kSd * sd : 0.0));
    };
    const double lowest = board.lowest_w;
    return apart(lowest) > std::max(kIdleShare * lowest, kIdleWatts) ||
           apart(board.highest_w) > gains * board.highest_w;
  };
  std::vector<std::size_t> against(fits.size(), 0);
  for (std::size_t i = 0; i < fits.size(); ++i) {
    for (std::size_t j = 0; j < fits.size(); ++j) {
      if (i != j && differ(fits[i], fits[j])) ++against[i];
    }
  }
  return against;
}

}  // namespace

bool levels_disagree(const EnergyCourse& course) {
  constexpr double kGains = 0.14;  // which are sought as far as 0.15
  const auto against = level_contradictions(course, kGains);
  return std::any_of(against.begin(), against.end(), [](std::size_t n) { return n > 0; });
}

double shown_by_gains_j(const EnergyCourse& course, const CourseWindow& window, double joules) {
  double most = 0.0;
  for (const SourceFit& fit : course.fits()) {
    const double differs = (fit.gain - 1) * joules + fit.offset_w * (window.end - window.begin);
    most = std::max(most, std::abs(differs));
  }
  return most > kScatter * kRelativeGain * std::abs(joules) ? most : 0.0;
}

std::optional<SourceId> odd_level(const EnergyCourse& course) {
  constexpr double kGains = 0.1;
  const auto against = level_contradictions(course, kGains);
  const std::size_t others = against.size() - 1;
  if (others < 2) return std::nullopt;
  std::size_t contradictions = 0;
  for (const std::size_t one : against) contradictions += one;
  for (std::size_t i = 0; i < against.size(); ++i) {
    // All contradictions are its own.
    if (against[i] == others && contradictions == 2 * others) {
      return course.board().sources[i].source;
    }
  }
  return std::nullopt;
}

}  // namespace truewatt::energy
