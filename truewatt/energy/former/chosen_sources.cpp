#include "truewatt/energy/former/chosen_sources.hpp"

#include <algorithm>
#include <utility>

#include "truewatt/energy/former/phase_lock.hpp"
#include "truewatt/energy/validity/validity.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// A source that turns less of a load in step with it into an error looks all the time.
constexpr double kComplete = 0.02;
/// ... and a counter less of one that is in step with its inner readings, a thousand a second.
constexpr double kCompleteCounter = 0.1;

/// The source whose gain the joules are in stands first: one that somebody calibrated, else the
/// first in the order in which sources are believed.
void put_believed_first(std::vector<SourceView>& views) {
  const auto rank = [](const SourceView& view) {
    return std::pair(view.calibrated ? 0 : 1, row_of(view.source.kind).believed);
  };
  std::stable_sort(views.begin(), views.end(),
                   [&rank](const SourceView& a, const SourceView& b) { return rank(a) < rank(b); });
}

bool is_counter(const SourceView& view) { return counts_energy(view.source); }
bool is_complete(const SourceView& view) {
  return view.alias_gain <= (is_counter(view) ? kCompleteCounter : kComplete);
}

/// Has readings beside a stretch of time, on both sides: a counter that was asked seldom has none
/// of what began and ended between two looks at it.
bool frames(const SourceView& view, double begin, double end) {
  constexpr double kBeside = 1.0;  // s
  const double reach = kBeside + 2 * view.model.update_period.count();
  const auto any_within = [&view](double from, double to) {
    return std::any_of(view.ticks.begin(), view.ticks.end(), [&](const ticks::Tick& tick) {
      return tick.time >= from && tick.time <= to;
    });
  };
  return any_within(begin - reach, begin) && any_within(end, end + reach);
}

/// Without knowing what ran, a source that looks part of the time may be in step with it. Those
/// that look all the time are believed alone, else energy counters: between their inner readings, a
/// millisecond apart, hardly any load hides. Returns what is left out.
std::vector<SourceView> leave_out_part_time(std::vector<SourceView>& views) {
  for (const auto believed : {is_complete, is_counter}) {
    const auto first_out = std::stable_partition(views.begin(), views.end(), believed);
    if (first_out == views.begin()) continue;
    std::vector<SourceView> out(first_out, views.end());
    views.erase(first_out, views.end());
    return out;
  }
  return {};
}

/// A reset or a loss spoils what a source says; others may still tell.
bool is_spoiled(const Recording& recording, const Window& window, const Trace& trace) {
  const auto faults = why_not_whole(recording, trace, window, window.begin, window.end, 1.0);
  return std::any_of(faults.begin(), faults.end(), [](Reason reason) {
    return reason == Reason::counter_reset || reason == Reason::gpu_lost ||
           reason == Reason::clock_step;
  });
}

/// What a load that is seen to be in step with the driver's ring hides from it, and from a counter
/// that may be made of it.
double hidden_from(const std::vector<SourceView>& views, const Recording& recording,
                   const Window& window, HostTime origin) {
  if (std::any_of(views.begin(), views.end(), [](const auto& view) { return view.integrates; })) {
    return 0.0;
  }
  for (const SourceView& view : views) {
    if (view.source.kind != SourceKind::power_samples) continue;
    const ObservationModel& model = view.model;
    const double looks = (model.averaging_window + 2 * model.time_constant).count();
    const Trace* ring = find_trace(recording, view.source);
    return hidden_in_repeats(
        view.ticks, model.update_period.count(), looks, seconds_between(origin, window.begin),
        seconds_between(origin, window.end), condensed_within(*ring, window.begin, window.end));
  }
  return 0.0;
}

}  // namespace

ChosenSources choose_sources(const Recording& recording, const Window& window,
                             const Knowledge& knowledge, HostTime origin,
                             const std::optional<SourceId>& only) {
  Recording usable;
  for (const Trace& trace : recording.traces) {
    if (only && trace.source != *only) continue;
    if (!is_spoiled(recording, window, trace)) usable.traces.push_back(trace);
  }
  ChosenSources chosen{.used = source_views(usable, knowledge, origin)};
  const double begin = seconds_between(origin, window.begin);
  const double end = seconds_between(origin, window.end);
  const auto sees = [&](const SourceView& view) { return frames(view, begin, end); };
  if (std::any_of(chosen.used.begin(), chosen.used.end(), sees)) {
    std::erase_if(chosen.used, [&](const SourceView& view) { return !sees(view); });
  }
  if (recording.activity.empty()) {
    chosen.hidden_j = hidden_from(chosen.used, usable, window, origin);
    chosen.beside = leave_out_part_time(chosen.used);
  }
  // What is wrong of a source that may be in step with the load says nothing of one that may not.
  if (std::any_of(chosen.used.begin(), chosen.used.end(), is_complete)) chosen.beside.clear();
  put_believed_first(chosen.used);
  return chosen;
}

}  // namespace truewatt::energy
