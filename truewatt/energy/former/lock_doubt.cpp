#include "truewatt/energy/former/lock_doubt.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/energy/former/estimate_input.hpp"
#include "truewatt/energy/former/phase_lock.hpp"
#include "truewatt/energy/former/published_behaviour.hpp"
#include "truewatt/energy/former/source_age.hpp"
#include "truewatt/energy/former/source_view.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/ticks/update_period.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// A source that shows less than this of what a load in step with it does looks all the time.
constexpr double kHarmlessAlias = 0.02;

/// True for a source that a profile knows to look all the time: no load hides from it.
bool looks_always(const Knowledge& knowledge, SourceId source) {
  const SourceProfile* profile =
      knowledge.profile ? find_source(*knowledge.profile, source) : nullptr;
  if (!profile) return false;
  if (counts_energy(source) || !profile->fitted || !profile->update_period_s) {
    return profile->duty.value_or(0.0) >= 1.0;
  }
  const FittedModel& fitted = *profile->fitted;
  return alias_gain({.update_period = Seconds(profile->update_period_s->value),
                     .averaging_window = Seconds(std::max(0.0, fitted.averaging_window_s.value)),
                     .time_constant = Seconds(std::max(0.0, fitted.time_constant_s.value))}) <=
         kHarmlessAlias;
}

/// Energies of two sources agree within so many standard uncertainties, which must be small.
constexpr double kAgreeSigmas = 2.58;
constexpr double kAgreeShare = 0.025;
/// A ring's readings look at so many of their periods, where nobody characterized it: an H200's.
constexpr double kRingLooks = 1.3;

/// The driver's ring of samples on its grid.
struct Ring {
  std::vector<ticks::Tick> ticks;  ///< seconds after its trace's begin
  PaddedInput input;
  double hidden_j = 0.0;  ///< standard uncertainty for a load that its readings show to be in step
};

std::optional<Ring> ring_of(const Recording& recording, const Window& window) {
  const Trace* trace = find_trace(recording, {SourceKind::power_samples, Scope::gpu});
  if (!trace) return std::nullopt;
  const std::vector<ticks::Tick> stamped = ticks::publications(*trace, trace->begin);
  const auto period = ticks::update_period(stamped);
  if (!period) return std::nullopt;
  Ring ring{.ticks = ticks::ring_ticks(stamped, period->value)};
  ring.input = padded_input(recording, window, *trace, ring.ticks, period->value, {});
  ring.hidden_j =
      hidden_in_repeats(ring.ticks, period->value, kRingLooks * period->value, ring.input.begin,
                        ring.input.end, condensed_within(*trace, window.begin, window.end));
  return ring;
}

/// Standard uncertainty of the difference of two energies that agree and say so well enough.
std::optional<double> agreement_of(const PaddedEnergy& one, const PaddedEnergy& other) {
  const double difference = std::abs(one.gross_j.value - other.gross_j.value);
  const double sd =
      numerics::quadrature({one.gross_j.standard_uncertainty, other.gross_j.standard_uncertainty});
  const bool agree =
      difference <= kAgreeSigmas * sd && sd <= kAgreeShare * std::abs(other.gross_j.value);
  return agree ? std::optional(sd) : std::nullopt;
}

/// Two sources that publish at different periods are hardly both in step with the load: the ring of
/// samples, where it updates faster than the counter, tells the same energy, and does not show a
/// load that repeats after a whole number of its own updates.
bool agrees(const Ring& ring, const PaddedEnergy& counted) {
  const auto summed = padded_sum(ring.ticks, ring.input);
  const auto sd = summed ? agreement_of(*summed, counted) : std::nullopt;
  return sd && ring.hidden_j <= *sd;
}

/// A power source that cannot be in step with the load tells the same energy as a counter whose own
/// readings may be.
bool power_agrees(const Recording& recording, const Window& window, const Knowledge& knowledge,
                  const PaddedEnergy& counted) {
  return std::any_of(recording.traces.begin(), recording.traces.end(), [&](const Trace& trace) {
    if (counts_energy(trace.source) || trace.source.scope != Scope::gpu) return false;
    if (trace.source.kind == SourceKind::power_samples) return false;  // agrees() asks that
    const std::vector<ticks::Tick> ticks = ticks::publications(trace, trace.begin);
    const auto period = ticks::update_period(ticks);
    if (!period || !activity_excludes_lock(recording, window, *period)) return false;
    PaddedInput input = padded_input(recording, window, trace, ticks, period->value, knowledge);
    const Published published = published_about(trace.source, knowledge, period, ticks);
    if (published.source) input.published_age_s = published_age(*published.source);
    const auto summed = padded_sum(ticks, input);
    return summed && agreement_of(*summed, counted);
  });
}

}  // namespace

LockDoubt lock_doubt(const Recording& recording, const Window& window, SourceId source,
                     const std::optional<Interval>& period, const Knowledge& knowledge,
                     const PaddedEnergy& told) {
  if (looks_always(knowledge, source)) return {};
  const bool counter = counts_energy(source);
  // A counter adds up readings of its own, more often than it publishes.
  const auto keeps_inner_step = [&] {
    return counter && has_fast_rhythm(recording, window, period->value) &&
           !power_agrees(recording, window, knowledge, told);
  };
  if (period && activity_excludes_lock(recording, window, *period) && !keeps_inner_step()) {
    return {};
  }
  if (!counter && source.kind != SourceKind::power_samples) return {.open = true};
  const auto ring = ring_of(recording, window);
  if (!ring) return {.open = true};
  if (counter && agrees(*ring, told)) return {};
  return {.open = true, .hidden_j = ring->hidden_j};
}

}  // namespace truewatt::energy
