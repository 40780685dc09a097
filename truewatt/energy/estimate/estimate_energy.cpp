#include "truewatt/energy/estimate/estimate_energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/estimate/phase_lock.hpp"
#include "truewatt/energy/estimate/quiet.hpp"
#include "truewatt/energy/estimate/sensor_response.hpp"
#include "truewatt/energy/estimate/step_trains.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/energy/validity/validity.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/replication/readers/readers.hpp"
#include "truewatt/trace/condense.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

/// A source that turns less of a load in step with it into an error looks all the time.
constexpr double kComplete = 0.02;
/// Two sources that differ by more standard uncertainties than this disagree (0.1 % by chance).
constexpr double kDisagree = 3.29;
/// What sources of one board that nobody held against each other scatter by, of the energy.
constexpr double kRelativeGain = 0.05;
/// A window of which more than this was not read has no number.
constexpr double kMostUnread = 0.5;
/// What a sensor that nobody characterized makes of work that repeats within so many of its periods
/// depends on how long it looks.
constexpr double kFewPeriods = 2.0;
/// Edges of known work that are as near as this are one.
constexpr double kOneEdge = 1e-5;  // s

/// The largest share of a load's component at a multiple of the update frequency that a source
/// turns into a constant error (docs/method.md, eq. 14f).
double alias_gain(const ObservedSource& source) {
  constexpr int kHarmonics = 5;
  if (source.look == Look::counter) return 0.0;
  double most = 0.0;
  if (source.made_of) {
    const double lag = 2 * M_PI * source.made_of->time_constant / source.made_of->period;
    most = 1 / std::sqrt(1 + lag * lag);
  }
  for (int m = 1; m <= kHarmonics; ++m) {
    const double x = M_PI * m * source.window / source.period;
    const double boxcar = x < 1e-9 ? 1.0 : std::abs(std::sin(x) / x);
    const double lag = 2 * M_PI * m * source.time_constant / source.period;
    most = std::max(most, boxcar / std::sqrt(1 + lag * lag));
  }
  return most;
}

/// What a load in step with the sources may hide at most, as a share of the energy, where `seen` is
/// the share of it that lies above idle. A prior or the recording's own model excludes nothing.
double hidden_share(const ObservedBoard& board, double seen) {
  double least = 1.0;
  for (const ObservedSource& source : board.sources) {
    const bool counts = source.look == Look::counter;
    if (counts || source.is_characterized) least = std::min(least, alias_gain(source));
  }
  return least < 0.5 ? std::min(1.0, least * seen / (1 - 2 * least)) : 1.0;
}

/// How many of its periods a ring's reading looks at where nobody characterized it: an H200's.
constexpr double kRingLooks = 1.3;

/// Reasons that mean: the data are not whole.
bool spoils_data(Reason reason) {
  constexpr std::array kSpoilers = {Reason::counter_reset, Reason::gap_in_readings,
                                    Reason::gpu_lost, Reason::clock_step, Reason::interrupted};
  return std::find(kSpoilers.begin(), kSpoilers.end(), reason) != kSpoilers.end();
}

/// A log whose own clock jumped; sampling itself lives on a clock that does not.
bool has_broken_time(const Recording& recording) {
  return std::any_of(recording.events.begin(), recording.events.end(),
                     [](const auto& event) { return event.kind == EventKind::clock_step; });
}

double unread_within(const ObservedBoard& board, const CourseWindow& window) {
  double read = 0.0;
  auto span = std::lower_bound(board.read.begin(), board.read.end(), window.begin,
                               [](const TimeSpan& one, double t) { return one.end < t; });
  for (; span != board.read.end() && span->begin < window.end; ++span) {
    read += std::max(0.0, std::min(span->end, window.end) - std::max(span->begin, window.begin));
  }
  return std::max(0.0, window.end - window.begin - read);
}

double fastest_period(const ObservedBoard& board) {
  double least = board.sources.front().period;
  for (const ObservedSource& source : board.sources) least = std::min(least, source.period);
  return least;
}

ObservedBoard with_only(const ObservedBoard& board, const ObservedSource& source) {
  ObservedBoard one = board;
  one.sources = {source};
  one.witnesses.clear();
  return one;
}

}  // namespace

class EnergyEstimator::Impl {
 public:
  Impl(const Recording& of, const Knowledge& with, const EstimateOptions& wanted,
       std::span<const Window> marks)
      : recording(of), knowledge(with), options(wanted) {
    ObservedBoard board = observe(recording, knowledge, options.source);
    origin = board.origin;
    note_ring(board);
    dropped = board.dropped;
    for (const Window& mark : marks) {
      hints.marks.push_back(seconds_between(origin, mark.begin));
      hints.marks.push_back(seconds_between(origin, mark.end));
    }
    add_known_work();
    if (board.sources.empty()) return;
    leave_out_counter_in_step(board);
    drop_odd_ones(board);
    if (hints.work.empty()) hints.steps = trains_of(marks, origin, fastest_period(board));
    keep_reachable_hints(board);
    course.emplace(std::move(board), hints);
    passes += course->passes();
    disagree = disagree || levels_disagree();
    idle.emplace(*course);
  }

  /// The driver's ring, whatever is estimated from.
  void note_ring(const ObservedBoard& board) {
    const auto find = [this](const ObservedBoard& in) {
      for (const ObservedSource& source : in.sources) {
        if (comes_in_ring(source.source)) ring = source;
      }
    };
    const bool is_with_all = !options.source;
    find(is_with_all ? board
                     : observe(recording, knowledge, {{SourceKind::power_samples, Scope::gpu}}));
    if (!ring) return;
    for (const ObservedReading& reading : ring->readings) {
      if (reading.span > 0) continue;
      ring_ticks.push_back({reading.time + ring->delay, reading.time_sd, reading.value});
    }
  }

  /// Work is known, and may be in step with the ring.
  bool may_be_in_step_with_ring() const {
    if (hints.work.empty()) return false;
    const Window worked{recording.activity.front().begin, recording.activity.back().end, ""};
    const Interval period{ring->period, 0.9999 * ring->period, 1.0001 * ring->period, 0.95};
    return !activity_excludes_lock(recording, worked, period);
  }

  /// A counter that adds up samples of what the ring samples is as wrong, every time, about work in
  /// step with these. What the ring makes of such work its stamps tell.
  void leave_out_counter_in_step(ObservedBoard& board) const {
    if (!ring || !ring->is_characterized || board.sources.size() < 2) return;
    if (!may_be_in_step_with_ring()) return;
    std::erase_if(board.sources, [](const ObservedSource& source) {
      return source.look == Look::counter && !source.integrates;
    });
  }

  /// What a load that is seen to be in step with the ring hides from it, and from a counter that
  /// may be made of what it samples, J.
  double hidden_in_ring(const CourseWindow& asked, const Window& window) const {
    if (!ring || is_informed(window)) return 0.0;
    for (const ObservedSource& source : course->board().sources) {
      if (source.integrates || (source.look == Look::average && source.is_characterized))
        return 0.0;
    }
    const Trace* trace = find_trace(recording, ring->source);
    return hidden_between(asked, condensed_within(*trace, window.begin, window.end));
  }

  double hidden_between(const CourseWindow& asked, std::span<const CondensedStretch> sums) const {
    const double looks =
        ring->is_characterized ? ring->window + 2 * ring->time_constant : kRingLooks * ring->period;
    return hidden_in_repeats(ring_ticks, ring->period, looks, asked.begin, asked.end, sums);
  }

  /// A counter that nobody characterized may add up readings a millisecond apart, and what ran in a
  /// rhythm of few of these may be in step with it.
  bool is_in_step_with_counter(const Window& window) const {
    constexpr double kFewReadings = 0.01;  // s
    const ObservedSource& source = course->board().sources.front();
    return source.look == Look::counter && !source.is_characterized &&
           has_fast_rhythm(recording, window, kFewReadings);
  }

  /// Samples that an average is made of look at every phase of the known work, or it is no average
  /// of samples.
  bool sees_all_phases(const ObservedSource& source, const Window& window) const {
    if (!source.made_of) return true;
    const double every = source.made_of->period;
    return activity_excludes_lock(recording, window, {every, 0.999 * every, 1.001 * every, 0.95});
  }

  /// It is known when what ran, and that tells what the sources saw of it.
  bool is_informed(const Window& window) const {
    if (hints.work.empty()) return false;
    for (const ObservedSource& source : course->board().sources) {
      if (source.is_characterized && sees_all_phases(source, window)) return true;
      // A counter may add up what the ring samples.
      const bool by_ring = ring && source.look == Look::counter;
      const double every = by_ring ? ring->period : source.period;
      const Interval period{every, 0.999 * every, 1.001 * every, 0.95};
      if (activity_excludes_lock(recording, window, period) &&
          !has_fast_rhythm(recording, window, kFewPeriods * every)) {
        return true;
      }
    }
    return false;
  }

  void add_known_work() {
    std::map<std::string, std::size_t> kinds;
    for (const ActivityInterval& work : recording.activity) {
      const double begin = seconds_between(origin, work.begin);
      const double end = seconds_between(origin, work.end);
      if (!(end > begin)) continue;
      const auto kind = kinds.emplace(work.level, kinds.size()).first->second;
      const bool follows = !hints.work.empty() && hints.work.back().kind == kind &&
                           begin - hints.work.back().end < kOneEdge;
      if (follows) {
        hints.work.back().end = std::max(hints.work.back().end, end);
      } else {
        hints.work.push_back({begin, end, kind});
      }
    }
    std::stable_sort(hints.work.begin(), hints.work.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
  }

  /// Hints far from all readings tell nothing, and would make a course of nothing.
  void keep_reachable_hints(const ObservedBoard& board) {
    constexpr double kReach = 10.0;  // s
    const double from = board.read.front().begin - kReach;
    const double to = board.read.back().end + kReach;
    std::erase_if(hints.marks, [&](double mark) { return mark < from || mark > to; });
    const auto is_far = [&](const auto& of) { return of.end < from || of.begin > to; };
    std::erase_if(hints.work, is_far);
    std::erase_if(hints.steps, is_far);
  }

  CourseWindow placed(const Window& window) const {
    return {seconds_between(origin, window.begin), seconds_between(origin, window.end)};
  }

  /// The energy that a source alone makes of all that every source has read.
  struct Vote {
    SourceId source;
    bool is_witness = false;
    Uncertain joules;
  };

  Vote vote_of(const ObservedBoard& board, const ObservedSource& source, bool is_witness,
               const CourseWindow& span) {
    const EnergyCourse alone(with_only(board, source), hints, CourseDetail::total);
    passes += alone.passes();
    const CourseEnergy energy = alone.energy(span);
    const double hidden =
        hints.work.empty() ? alias_gain(source) / 3 *
                                 std::abs(energy.joules - board.lowest_w * (span.end - span.begin))
                           : 0.0;
    return {source.source,
            is_witness,
            {energy.joules, numerics::quadrature({energy.standard_uncertainty, hidden,
                                                  kRelativeGain * energy.joules})}};
  }

  /// Of sources that contradict each other the one that contradicts most of them is none; of two,
  /// nobody knows which.
  void drop_odd_ones(ObservedBoard& board) {
    if (board.sources.size() + board.witnesses.size() < 2 || board.sources.size() < 2) return;
    CourseWindow span{-1e300, 1e300};
    for (const ObservedSource& source : board.sources) {
      span.begin = std::max(span.begin, source.readings.front().time);
      span.end = std::min(span.end, source.readings.back().time);
    }
    if (!(span.end - span.begin > 4 * board.sources.back().period)) return;
    std::vector<Vote> votes;
    for (const ObservedSource& source : board.sources) {
      votes.push_back(vote_of(board, source, false, span));
    }
    const auto differ = [](const Vote& a, const Vote& b) {
      const double sd =
          numerics::quadrature({a.joules.standard_uncertainty, b.joules.standard_uncertainty});
      return std::abs(a.joules.value - b.joules.value) > kDisagree * sd;
    };
    const auto any_differ = [&] {
      for (std::size_t i = 0; i < votes.size(); ++i) {
        for (std::size_t j = i + 1; j < votes.size(); ++j) {
          if (differ(votes[i], votes[j])) return true;
        }
      }
      return false;
    };
    if (!any_differ()) return;
    for (const ObservedSource& witness : board.witnesses) {
      votes.push_back(vote_of(board, witness, true, span));
    }
    while (votes.size() > 1 && any_differ()) {
      std::vector<std::size_t> against(votes.size(), 0);
      for (std::size_t i = 0; i < votes.size(); ++i) {
        for (std::size_t j = 0; j < votes.size(); ++j) {
          if (i != j && differ(votes[i], votes[j])) ++against[i];
        }
      }
      const auto most = std::max_element(against.begin(), against.end());
      const bool is_clear = std::count(against.begin(), against.end(), *most) == 1;
      if (!is_clear) {
        disagree = true;
        return;
      }
      const Vote odd = votes[static_cast<std::size_t>(most - against.begin())];
      votes.erase(votes.begin() + (most - against.begin()));
      dropped.push_back({odd.source, Reason::sources_disagree});
      std::erase_if(board.sources, [&](const auto& s) { return s.source == odd.source; });
    }
    if (!board.sources.empty()) return;
    // Only witnesses are left: they agree, so they are believed.
    for (const ObservedSource& witness : board.witnesses) {
      const bool agrees = std::any_of(votes.begin(), votes.end(),
                                      [&](const Vote& v) { return v.source == witness.source; });
      if (agrees) board.sources.push_back(witness);
    }
    if (board.sources.empty()) disagree = true;
  }

  /// A source that shows other levels than the others by more than what boards scatter by sees
  /// something else: a module, say, whose idle is another one.
  bool levels_disagree() const {
    constexpr double kIdleShare = 0.1;
    constexpr double kIdleWatts = 12.0;
    constexpr double kGains = 0.15;
    const ObservedBoard& board = course->board();
    const auto off = [](const SourceFit& fit, double power) {
      return std::abs((fit.gain - 1) * power + fit.offset_w);
    };
    for (const SourceFit& fit : course->fits()) {
      const double lowest = board.lowest_w;
      if (off(fit, lowest) > std::max(kIdleShare * lowest, kIdleWatts)) return true;
      if (off(fit, board.highest_w) > kGains * board.highest_w) return true;
    }
    return false;
  }

  EnergyEstimate estimate(const Window& window) const;
  void tell(EnergyEstimate& estimate, const Window& window) const;
  template <class WithHidden>
  void add_net(ScaleEnergy& energy, const CourseWindow& asked, const Response& response,
               WithHidden with_hidden) const;
  void note_profile(EnergyEstimate& estimate) const;

  const Recording& recording;
  Knowledge knowledge;
  EstimateOptions options;
  HostTime origin;
  CourseHints hints;
  std::vector<DroppedSource> dropped;
  bool disagree = false;
  int passes = 0;
  std::optional<EnergyCourse> course;
  std::optional<IdleStretches> idle;
  std::optional<ObservedSource> ring;
  std::vector<ticks::Tick> ring_ticks;  ///< of its readings, in order of time
};

/// Whose knowledge of the sources there was, and whether it covers the one that decides.
void EnergyEstimator::Impl::note_profile(EnergyEstimate& estimate) const {
  if (!knowledge.profile && !knowledge.published) return;
  const SourceId decides = estimate.source.value_or(SourceId{});
  const SourceProfile* own =
      knowledge.profile && estimate.source ? find_source(*knowledge.profile, decides) : nullptr;
  const bool stands_in = !own && knowledge.published && estimate.source &&
                         find_source(*knowledge.published, decides) != nullptr;
  const bool is_catalogue = stands_in || knowledge.profile == nullptr;
  estimate.profile = ProfileUse{.from_catalogue = is_catalogue, .covers_source = own || stands_in};
  if (own) estimate.observed_fraction = own->duty;
  if (!stands_in) return;
  estimate.profile->agrees = course->board().sources.front().as_published;
  const bool misfits = estimate.profile->agrees == false;
  add_reason(estimate, misfits ? Reason::catalogue_misfit : Reason::from_catalogue);
  const auto& duty = find_source(*knowledge.published, decides)->duty;
  if (!misfits && duty && *duty < 1.0) estimate.observed_fraction = duty;
}

/// Net energy: as one weighted sum, so that what errs alike in window and idle cancels. That the
/// idle drifted in between, at a time unknown, is part of it.
template <class WithHidden>
void EnergyEstimator::Impl::add_net(ScaleEnergy& energy, const CourseWindow& asked,
                                    const Response& response, WithHidden with_hidden) const {
  const double length = asked.end - asked.begin;
  if (options.baseline.kind == BaselineKind::given) {
    const double watts =
        options.baseline.given.value() * response.gain.value + response.offset_w.value;
    energy.net_j = {energy.gross_j.value - watts * length, energy.gross_j.standard_uncertainty};
    energy.baseline_w = watts;
    energy.baseline_kind = BaselineKind::given;
    return;
  }
  const auto found = idle->baseline_of(asked, options.baseline.kind);
  if (!found) return;
  const auto power_in = [this](const CourseWindow& one) {
    return course->mean_power(one.begin, one.end);
  };
  std::vector<CourseWindow> stretches{found->stretch};
  // Idle behind the window at the same level tells how that drifted.
  if (found->behind && idle->are_alike(power_in(*found->behind), power_in(found->stretch))) {
    stretches.push_back(*found->behind);
  }
  std::vector<CourseWindow> windows{asked};
  std::vector<double> weights{1.0};
  double baseline = 0.0;
  for (const CourseWindow& one : stretches) {
    const double share = 1.0 / static_cast<double>(stretches.size());
    windows.push_back(one);
    weights.push_back(-share * length / (one.end - one.begin));
    baseline += share * power_in(one);
  }
  const CourseEnergy net = with_hidden(course->weighted_sum(windows, weights));
  const double drift =
      (power_in(stretches.back()) - power_in(stretches.front())) * length / std::sqrt(12.0);
  energy.net_j = {net.joules, numerics::quadrature({net.standard_uncertainty, drift})};
  energy.baseline_w = baseline;
  energy.baseline_kind = found->kind;
  const double half = kCoverageFactor95 * energy.net_j->standard_uncertainty;
  for (const double level : idle->levels()) {
    const bool is_other = !idle->are_alike(level, baseline);
    if (is_other && std::abs(level - baseline) * length > half) energy.other_baseline = true;
  }
  // Behind known work the board draws what it draws between its stretches.
  constexpr double kBehind = 0.4;  // s
  const double from = asked.end + course->cell_length();
  const bool is_idle = std::none_of(hints.work.begin(), hints.work.end(), [&](const auto& work) {
    return work.begin < from + kBehind && work.end > from;
  });
  if (!hints.work.empty() && is_idle && from + kBehind < course->span().end) {
    energy.idle_after_w = course->mean_power(from, from + kBehind);
  }
}

void EnergyEstimator::Impl::tell(EnergyEstimate& estimate, const Window& window) const {
  const CourseWindow asked = placed(window);
  const ObservedBoard& board = course->board();
  const double length = asked.end - asked.begin;
  const CourseWindow span = course->span();
  const double unread = unread_within(board, asked);
  const bool reaches = asked.begin >= span.begin && asked.end <= span.end;
  if (!reaches || unread > kMostUnread * length) {
    add_reason(estimate,
               unread >= length ? Reason::no_readings_in_window : Reason::gap_in_readings);
    return;
  }
  if (unread > 0.5 * board.sources.front().period) add_reason(estimate, Reason::gap_in_readings);
  if (has_reason(estimate.reasons, Reason::clock_step) && has_broken_time(recording)) return;
  if (disagree) {
    add_reason(estimate, Reason::sources_disagree);
    return;
  }
  const double hidden_j = hidden_in_ring(asked, window);
  const auto with_hidden = [hidden_j](CourseEnergy of) {
    if (!(hidden_j > 0)) return of;
    of.budget.push_back({Cause::phase_lock, hidden_j});
    of.standard_uncertainty = numerics::quadrature({of.standard_uncertainty, hidden_j});
    return of;
  };
  const CourseEnergy gross = with_hidden(course->energy(asked));
  ScaleEnergy energy{.gross_j = {gross.joules, gross.standard_uncertainty}, .budget = gross.budget};
  const Response response = response_of(*estimate.source, knowledge, options);
  add_net(energy, asked, response, with_hidden);
  const bool is_ambiguous = energy.other_baseline && !options.baseline.kind;
  // What a load in step with the sources may hide, where nobody knows when what ran.
  const double dynamic = gross.joules - board.lowest_w * length;
  const double hidden =
      is_informed(window) ? 0.0 : hidden_share(board, std::abs(dynamic / gross.joules));
  constexpr double kSeen = 0.01;   // of the energy
  constexpr double kRhythm = 1.0;  // s
  const bool may_repeat = hints.work.empty() || has_fast_rhythm(recording, window, kRhythm);
  const bool is_seen_in_step = may_repeat && hidden_j > kSeen * std::abs(gross.joules);
  const bool may_hide = hidden > kComplete || is_in_step_with_counter(window) || is_seen_in_step ||
                        kCoverageFactor95 * hidden_j > options.resolve * std::abs(gross.joules);
  fill(estimate, std::move(energy), response);
  if (is_ambiguous) add_reason(estimate, Reason::baseline_ambiguous);
  if (may_hide) add_reason(estimate, Reason::phase_lock_not_excluded);
  if (gross.below_resolution) add_reason(estimate, Reason::window_too_short);
  const auto share = half_width_without_gain(estimate);
  const bool is_narrow = share && *share <= options.resolve;
  estimate.resolved =
      is_narrow && !may_hide && !gross.below_resolution && board.scope == Scope::gpu;
  if (is_narrow) return;
  add_reason(estimate, Reason::uncertainty_above_target);
  if (share) estimate.needs = estimate.window * std::pow(*share / options.resolve, 2);
}

EnergyEstimate EnergyEstimator::Impl::estimate(const Window& window) const {
  EnergyEstimate estimate;
  estimate.device = recording.device;
  estimate.dropped = dropped;
  estimate.window = window.end - window.begin;
  for (const Trace& recorded : recording.traces) {
    if (const auto naive = trace::naive_energy(recorded, window)) {
      estimate.naive_j[to_string(recorded.source)] = naive->value();
    }
  }
  if (!(estimate.window.count() > 0)) {
    add_reason(estimate, Reason::window_too_short);
  } else if (!course) {
    for (const DroppedSource& one : dropped) add_reason(estimate, one.reason);
    const bool lost =
        std::any_of(recording.events.begin(), recording.events.end(),
                    [](const CaptureEvent& event) { return event.kind == EventKind::gpu_lost; });
    if (estimate.reasons.empty()) {
      add_reason(estimate, lost ? Reason::gpu_lost : Reason::no_usable_source);
    }
  } else {
    const ObservedBoard& board = course->board();
    estimate.source = board.sources.front().source;
    for (const ObservedSource& source : board.sources) estimate.sources.push_back(source.source);
    estimate.method = Method::smoothing;
    if (board.scope == Scope::module) add_reason(estimate, Reason::module_scope);
    for (const Reason reason : why_window_not_whole(recording, window)) {
      add_reason(estimate, reason);
    }
    tell(estimate, window);
    if (!estimate.energy) {
      estimate.source.reset();
      estimate.sources.clear();
      estimate.method = {};
    }
  }
  note_profile(estimate);
  for (const Reason reason : knowledge.reservations) add_reason(estimate, reason);
  for (const Reader reader : options.readers) {
    estimate.readers.push_back(replication::read_as(reader, recording, window, knowledge));
  }
  estimate.valid = !has_reason(estimate.reasons, Reason::no_usable_source) &&
                   std::none_of(estimate.reasons.begin(), estimate.reasons.end(), spoils_data);
  return estimate;
}

EnergyEstimator::EnergyEstimator(const Recording& recording, const Knowledge& knowledge,
                                 const EstimateOptions& options, std::span<const Window> marks)
    : impl_(std::make_unique<Impl>(recording, knowledge, options, marks)) {}
EnergyEstimator::~EnergyEstimator() = default;
EnergyEstimator::EnergyEstimator(EnergyEstimator&&) noexcept = default;
EnergyEstimator& EnergyEstimator::operator=(EnergyEstimator&&) noexcept = default;

int EnergyEstimator::passes() const { return impl_->passes; }

EnergyEstimate EnergyEstimator::estimate(const Window& window) const {
  return impl_->estimate(window);
}

std::optional<EnergyInterval> EnergyEstimator::sum(std::span<const Window> windows) const {
  if (!impl_->course || impl_->disagree || windows.empty()) return std::nullopt;
  const EnergyCourse& course = *impl_->course;
  std::vector<CourseWindow> asked;
  EnergyEstimate all;
  for (const Window& window : windows) {
    asked.push_back(impl_->placed(window));
    if (asked.back().begin < course.span().begin || asked.back().end > course.span().end) {
      return std::nullopt;
    }
    all.window += Seconds(window.end - window.begin);
  }
  const std::vector<double> ones(asked.size(), 1.0);
  const CourseEnergy energy = course.weighted_sum(asked, ones);
  const SourceId scale = course.board().sources.front().source;
  fill(all, {.gross_j = {energy.joules, energy.standard_uncertainty}, .budget = energy.budget},
       response_of(scale, impl_->knowledge, impl_->options));
  return all.energy;
}

std::optional<ReconstructedPower> EnergyEstimator::power(const Window& window, HostTime origin,
                                                         std::size_t points) const {
  if (!impl_->course || impl_->disagree || points < 2) return std::nullopt;
  constexpr double kBeside = 0.9;  // s
  const EnergyCourse& course = *impl_->course;
  CourseWindow shown = impl_->placed(window);
  shown.begin = std::max(shown.begin - kBeside, course.span().begin);
  shown.end = std::min(shown.end + kBeside, course.span().end);
  if (!(shown.end > shown.begin)) return std::nullopt;
  const double shift = seconds_between(origin, impl_->origin);
  const double step = (shown.end - shown.begin) / static_cast<double>(points);
  const Response response =
      response_of(course.board().sources.front().source, impl_->knowledge, impl_->options);
  ReconstructedPower power;
  for (std::size_t i = 0; i < points; ++i) {
    const double begin = shown.begin + step * static_cast<double>(i);
    const CourseEnergy energy = course.energy({begin, std::min(begin + step, shown.end)});
    power.t_s.push_back(shift + begin + step / 2);
    power.power_w.push_back((energy.joules / step - response.offset_w.value) / response.gain.value);
    power.sd_w.push_back(energy.standard_uncertainty / step / response.gain.value);
  }
  for (const ObservedSource& source : course.board().sources) {
    power.sources.push_back(source.source);
  }
  return power;
}

EnergyEstimate estimate_energy(const Recording& recording, const Window& window,
                               const Knowledge& knowledge, const EstimateOptions& options) {
  return EnergyEstimator(recording, knowledge, options, {&window, 1}).estimate(window);
}

}  // namespace truewatt::energy
