#include "truewatt/energy/estimate/estimate_energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/estimate/board_course.hpp"
#include "truewatt/energy/estimate/idle_rung.hpp"
#include "truewatt/energy/estimate/net_energy.hpp"
#include "truewatt/energy/estimate/phase_lock.hpp"
#include "truewatt/energy/estimate/sensor_response.hpp"
#include "truewatt/energy/estimate/unread.hpp"
#include "truewatt/energy/observe/sensor_behaviour.hpp"
#include "truewatt/energy/validity/validity.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/replication/readers/readers.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::energy {
namespace {

/// A window of which more than this was not read has no number.
constexpr double kMostUnread = 0.5;

/// Reasons that mean: the data are not whole. Silence of a source is in the interval.
bool spoils_data(Reason reason) {
  constexpr std::array kSpoilers = {Reason::counter_reset, Reason::gpu_lost, Reason::clock_step,
                                    Reason::interrupted};
  return std::find(kSpoilers.begin(), kSpoilers.end(), reason) != kSpoilers.end();
}

/// A log whose own clock jumped; sampling itself lives on a clock that does not.
bool has_broken_time(const Recording& recording) {
  return std::any_of(recording.events.begin(), recording.events.end(),
                     [](const auto& event) { return event.kind == EventKind::clock_step; });
}

/// Standard uncertainty, J, of what a load in step hides where sources hide little, `hidden` of its
/// energy at most: its standard deviation over the phases of a load that is on for half of the
/// time, 4/pi/sqrt(2). A counter that leaves nothing out hides none.
double aliased_sd(const ObservedBoard& board, double hidden, double joules) {
  constexpr double kOfHidden = 0.9;
  const bool counts_all = std::any_of(board.sources.begin(), board.sources.end(),
                                      [](const ObservedSource& one) { return one.integrates; });
  return counts_all || hidden > kComplete ? 0.0 : kOfHidden * hidden * std::abs(joules);
}

/// Least and most joules of a window, as long as `length` seconds, in step with its readings.
EnergyBounds energy_in_step(const ObservedBoard& board, const CourseEnergy& gross, double length,
                            const Response& response, bool is_counter_in_doubt) {
  const EnergyBounds watts = power_in_step(
      board, {gross.joules / length, gross.standard_uncertainty / length}, is_counter_in_doubt);
  const auto undone = [&](double power) {
    return length * (power - response.offset_w.value) / response.gain.value;
  };
  EnergyBounds joules{.lower = undone(watts.lower)};
  if (watts.upper) joules.upper = undone(*watts.upper);
  return joules;
}

}  // namespace

class EnergyEstimator::Impl {
 public:
  Impl(const Recording& of, const Knowledge& with, const EstimateOptions& wanted,
       std::span<const Window> marks)
      : recording(of), knowledge(with), options(wanted), state(of, with, wanted.source, marks) {}

  /// What a window may be off by beside what its course knows.
  struct Beside {
    double ring_j = 0.0;      ///< that a load in step hides from a ring's looks
    double hidden = 0.0;      ///< the share that one may hide from all sources
    double by_gains_j = 0.0;  ///< that gains may make sources differ by
    std::vector<uncertainty::Term> terms;
  };

  bool tells_nothing() const { return !state.has_course() || state.disagree(); }

  EnergyEstimate estimate(const Window& window) const;
  std::optional<EnergyInterval> sum(std::span<const Window> windows) const;

  const Recording& recording;
  Knowledge knowledge;
  EstimateOptions options;
  BoardCourse state;

 private:
  bool is_told(EnergyEstimate& estimate, const CourseWindow& asked) const;
  Beside beside(const Window& window, double joules) const;
  void tell(EnergyEstimate& estimate, const Window& window) const;
  void tell_why_nothing(EnergyEstimate& estimate) const;
  void note_profile(EnergyEstimate& estimate) const;
};

/// Whose knowledge of the sources there was, and whether it covers the one that decides.
void EnergyEstimator::Impl::note_profile(EnergyEstimate& estimate) const {
  if (!knowledge.profile && !knowledge.published) return;
  const SourceId decides = estimate.source.value_or(SourceId{});
  const SourceProfile* own = estimate.source ? profile_of(knowledge.profile, decides) : nullptr;
  const bool stands_in = !own && knowledge.published && estimate.source &&
                         find_source(*knowledge.published, decides) != nullptr;
  const bool is_catalogue = stands_in || knowledge.profile == nullptr;
  estimate.profile = ProfileUse{.from_catalogue = is_catalogue, .covers_source = own || stands_in};
  if (own) estimate.observed_fraction = own->duty;
  if (!stands_in) return;
  estimate.profile->agrees = state.board().sources.front().as_published;
  const bool misfits = estimate.profile->agrees == false;
  add_reason(estimate, misfits ? Reason::catalogue_misfit : Reason::from_catalogue);
  const auto& duty = find_source(*knowledge.published, decides)->duty;
  if (!misfits && duty && *duty < 1.0) estimate.observed_fraction = duty;
}

/// Whether the window has a number; else why not.
bool EnergyEstimator::Impl::is_told(EnergyEstimate& estimate, const CourseWindow& asked) const {
  const ObservedBoard& board = state.board();
  const double length = asked.end - asked.begin;
  const CourseWindow span = state.course().span();
  const double unread = unread_within(state.course(), asked);
  if (holds_impossible(board, asked)) add_reason(estimate, Reason::above_power_limit);
  const bool reaches = asked.begin >= span.begin && asked.end <= span.end;
  if (!reaches || unread > kMostUnread * length) {
    add_reason(estimate,
               unread >= length ? Reason::no_readings_in_window : Reason::gap_in_readings);
    return false;
  }
  if (unread > 0.5 * board.sources.front().period) add_reason(estimate, Reason::gap_in_readings);
  if (has_reason(estimate.reasons, Reason::clock_step) && has_broken_time(recording)) return false;
  if (state.disagree()) add_reason(estimate, Reason::sources_disagree);
  return !state.disagree();
}

EnergyEstimator::Impl::Beside EnergyEstimator::Impl::beside(const Window& window,
                                                            double joules) const {
  const CourseWindow asked = state.placed(window);
  const ObservedBoard& board = state.board();
  const LockDoubt& locks = state.locks();
  // What a load in step with the sources may hide, where nobody knows when what ran.
  const bool is_informed =
      locks.is_informed(board, window) && locks.is_explained(state.course(), asked, window);
  const double watts = joules / (asked.end - asked.begin);
  Beside found{.ring_j = locks.hidden_in_ring(board, asked, window),
               .hidden = is_informed ? 0.0 : hidden_share(board, asked, watts),
               .by_gains_j = state.explained_by_gains_j(asked, joules)};
  const double hidden_j =
      numerics::quadrature({found.ring_j, aliased_sd(board, found.hidden, joules)});
  found.terms = state.terms_beside(asked, joules, hidden_j, found.by_gains_j);
  return found;
}

void EnergyEstimator::Impl::tell(EnergyEstimate& estimate, const Window& window) const {
  const CourseWindow asked = state.placed(window);
  if (!is_told(estimate, asked)) return;
  const EnergyCourse& course = state.course();
  const ObservedBoard& board = course.board();
  const bool is_known = !state.hints().work.empty();
  const double length = asked.end - asked.begin;
  const CourseEnergy of_course = course.energy(asked);
  auto [ring_j, hidden, by_gains_j, terms] = beside(window, of_course.joules);
  terms.push_back({uncertainty::Cause::unobserved, state.between_looks_sd(length)});
  const CourseEnergy gross = within_reach(board, length, with_terms(of_course, terms));
  if (leapt_within(board, asked) > 0 || state.wrong_gain_j(asked, of_course.joules) > 0) {
    add_reason(estimate, Reason::sources_disagree);
  }
  const double resolvable_j = options.resolve * std::abs(gross.joules);
  ScaleEnergy energy{.gross_j = {gross.joules, gross.standard_uncertainty}, .budget = gross.budget};
  const Response response = response_of(*estimate.source, knowledge, options);
  const auto idle_stretch =
      add_net(energy, course, state.idle(), state.hints(),
              {.asked = asked, .response = response, .terms = terms, .rule = options.baseline});
  const bool is_ambiguous = energy.other_baseline && !options.baseline.kind;
  constexpr double kSeen = 0.01;   // of the energy
  constexpr double kRhythm = 1.0;  // s
  const bool may_repeat = !is_known || has_fast_rhythm(recording, window, kRhythm);
  const bool is_seen_in_step = may_repeat && ring_j > kSeen * std::abs(gross.joules);
  const bool is_counter_in_doubt = state.is_counter_in_doubt(asked, window);
  const bool may_hide = hidden > kComplete || is_counter_in_doubt || is_seen_in_step ||
                        kCoverageFactor95 * ring_j > resolvable_j;
  const bool is_impossible = course.is_impossible(asked, gross);
  fill(estimate, std::move(energy), response);
  const bool is_above = options.baseline.kind == BaselineKind::given && estimate.net_energy &&
                        on_sensor_scale(*estimate.net_energy).upper < 0;
  if (is_above) add_reason(estimate, Reason::baseline_above_power);
  if (idle_stretch) {
    estimate.baseline_rung =
        rung_of(recording, state.at(idle_stretch->begin), state.at(idle_stretch->end));
  }
  if (is_ambiguous) add_reason(estimate, Reason::baseline_ambiguous);
  if (may_hide) {
    add_reason(estimate, Reason::phase_lock_not_excluded);
    estimate.if_in_step = energy_in_step(board, gross, length, response, is_counter_in_doubt);
  }
  if (gross.below_resolution) add_reason(estimate, Reason::window_too_short);
  if (is_impossible) add_reason(estimate, Reason::model_misfit);
  const bool is_unread = hides_unread(course, asked, gross.joules, options.resolve);
  if (is_unread) add_reason(estimate, Reason::gap_in_readings);
  const auto share = half_width_without_gain(estimate);
  const bool is_narrow = share && *share <= options.resolve;
  estimate.resolved = is_narrow && !may_hide && !gross.below_resolution && !is_impossible &&
                      board.scope == Scope::gpu && !is_unread;
  if (is_narrow) return;
  add_reason(estimate, Reason::uncertainty_above_target);
  // More of what is in step is in step.
  const bool may_differ = kCoverageFactor95 * by_gains_j > resolvable_j;
  if (share && !may_hide && !may_differ)
    estimate.needs = estimate.window * std::pow(*share / options.resolve, 2);
}

std::optional<EnergyInterval> EnergyEstimator::Impl::sum(std::span<const Window> windows) const {
  if (tells_nothing() || windows.empty()) return std::nullopt;
  const EnergyCourse& course = state.course();
  std::vector<CourseWindow> asked;
  std::vector<uncertainty::Term> terms;  // what hides in one window hides in all
  EnergyEstimate all;
  for (const Window& window : windows) {
    const CourseWindow one = state.placed(window);
    if (one.begin < course.span().begin || one.end > course.span().end) return std::nullopt;
    const double joules = course.mean_power(one.begin, one.end) * (one.end - one.begin);
    const Beside found = beside(window, joules);
    terms.resize(found.terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      terms[i] = {found.terms[i].cause, terms[i].u + found.terms[i].u};
    }
    asked.push_back(one);
    all.window += Seconds(window.end - window.begin);
  }
  const double length = all.window.count();
  terms.push_back({uncertainty::Cause::unobserved, state.between_looks_sd(length)});
  const std::vector<double> ones(asked.size(), 1.0);
  const CourseEnergy energy =
      within_reach(course.board(), length, with_terms(course.weighted_sum(asked, ones), terms));
  const SourceId scale = course.board().sources.front().source;
  fill(all, {.gross_j = {energy.joules, energy.standard_uncertainty}, .budget = energy.budget},
       response_of(scale, knowledge, options));
  return all.energy;
}

/// Why no window has a number.
void EnergyEstimator::Impl::tell_why_nothing(EnergyEstimate& estimate) const {
  for (const DroppedSource& one : state.dropped()) add_reason(estimate, one.reason);
  if (!estimate.reasons.empty()) return;
  const bool lost =
      std::any_of(recording.events.begin(), recording.events.end(),
                  [](const CaptureEvent& event) { return event.kind == EventKind::gpu_lost; });
  const bool answers = std::any_of(recording.traces.begin(), recording.traces.end(),
                                   [](const Trace& trace) { return !trace.samples.empty(); });
  add_reason(estimate, lost      ? Reason::gpu_lost
                       : answers ? Reason::no_readings_in_window
                                 : Reason::no_usable_source);
}

EnergyEstimate EnergyEstimator::Impl::estimate(const Window& window) const {
  EnergyEstimate estimate;
  bool is_lost = false;  // readings, to the driver
  estimate.device = recording.device;
  estimate.dropped = state.dropped();
  estimate.window = window.end - window.begin;
  for (const Trace& recorded : recording.traces) {
    if (const auto naive = trace::naive_energy(recorded, window)) {
      estimate.naive_j[to_string(recorded.source)] = naive->value();
    }
  }
  if (!(estimate.window.count() > 0)) {
    add_reason(estimate, Reason::window_too_short);
  } else if (!state.has_course()) {
    tell_why_nothing(estimate);
  } else {
    const ObservedBoard& board = state.board();
    estimate.source = board.sources.front().source;
    for (const ObservedSource& source : board.sources) estimate.sources.push_back(source.source);
    estimate.method = Method::smoothing;
    if (board.scope == Scope::module) add_reason(estimate, Reason::module_scope);
    for (const Reason reason : why_window_not_whole(recording, window)) {
      add_reason(estimate, reason);
    }
    is_lost = has_reason(estimate.reasons, Reason::gap_in_readings);
    tell(estimate, window);
    if (!estimate.energy) {
      is_lost = has_reason(estimate.reasons, Reason::gap_in_readings);
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
  estimate.valid = !is_lost && !has_reason(estimate.reasons, Reason::no_usable_source) &&
                   std::none_of(estimate.reasons.begin(), estimate.reasons.end(), spoils_data);
  // However narrow: what was not read may have been anything.
  estimate.resolved = estimate.resolved && estimate.valid;
  return estimate;
}

EnergyEstimator::EnergyEstimator(const Recording& recording, const Knowledge& knowledge,
                                 const EstimateOptions& options, std::span<const Window> marks)
    : impl_(std::make_unique<Impl>(recording, knowledge, options, marks)) {}
EnergyEstimator::~EnergyEstimator() = default;
EnergyEstimator::EnergyEstimator(EnergyEstimator&&) noexcept = default;
EnergyEstimator& EnergyEstimator::operator=(EnergyEstimator&&) noexcept = default;

int EnergyEstimator::passes() const { return impl_->state.passes(); }

EnergyEstimate EnergyEstimator::estimate(const Window& window) const {
  return impl_->estimate(window);
}

std::optional<EnergyInterval> EnergyEstimator::sum(std::span<const Window> windows) const {
  return impl_->sum(windows);
}

std::optional<ReconstructedPower> EnergyEstimator::power(const Window& window, HostTime origin,
                                                         std::size_t points) const {
  if (impl_->tells_nothing() || points < 2) return std::nullopt;
  constexpr double kBeside = 0.9;  // s
  const EnergyCourse& course = impl_->state.course();
  CourseWindow shown = impl_->state.placed(window);
  shown.begin = std::max(shown.begin - kBeside, course.span().begin);
  shown.end = std::min(shown.end + kBeside, course.span().end);
  if (!(shown.end > shown.begin)) return std::nullopt;
  const double shift = seconds_between(origin, impl_->state.at(0.0));
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
