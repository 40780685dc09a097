#include "truewatt/energy/former/source_view.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "truewatt/energy/former/estimate_input.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/ticks/update_period.hpp"
#include "truewatt/ticks/wide_brackets.hpp"

namespace truewatt::energy {
namespace {

/// The relative gain and offset of two sources of one board that nobody held against a meter.
constexpr double kRelativeGain = 0.05;
constexpr double kRelativeOffset = 5.0;  // W
/// Of a trailing average no more than so many overlapping windows are used at a time.
constexpr double kMostOpen = 12.0;
constexpr int kHarmonics = 5;
/// Of the GPU's sources; no driver has more.
constexpr std::size_t kMostSources = 8;
/// A counter adds up readings a millisecond apart where its profile cannot tell. An H200's filter,
/// behind its ring and its counter, takes a step of that length at a time.
constexpr double kInnerPeriod = 1e-3;  // s

/// What an H200's counter scatters by at idle, 0.06 J, as a jitter of its ticks.
constexpr double kTickJitter = 0.5e-3;  // s
/// Where a counter's gap begins and ends is known to a millisecond: different fits to one H200's
/// trains put it from 4 to 16 or from 6 to 17 ms after the tick.
constexpr double kGapDoubt = 1e-3;  // s
/// By how much a source's age differs from run to run beyond what a fit of one run knows: runs of
/// two H200s' rings gave 15.66, 16.19, 16.45, 16.54 and 16.68, and 16.07, 16.38, 16.47, 16.61,
/// 16.68 and 16.69 ms, each known to 0.1 ms.
constexpr double kRunToRun = 0.3e-3;  // s

/// An error of the window that is less than this of age's and lag's, halved, is not in them.
constexpr double kWindowShare = 0.3;

bool has_model(const SourceProfile& profile) {
  const bool its_own = !has_reason(profile, ProfileReason::observes_module) &&
                       !has_reason(profile, ProfileReason::alias);
  return its_own && profile.source.scope == Scope::gpu &&
         profile.verdict != SourceVerdict::unusable &&
         profile.response != ResponseClass::estimated && profile.update_period_s && profile.fitted;
}

/// Publications where the profile's delay counts from: a client's cache shows what the poll fetched
/// at the end of its call, a ring's readings stand on their grid, whatever their stamps do.
std::vector<ticks::Tick> placed_ticks(const Trace& trace, HostTime origin,
                                      const SourceProfile& profile) {
  std::vector<ticks::Tick> ticks = ticks::publications(trace, origin);
  const bool cached = has_reason(profile, ProfileReason::client_cache);
  if (cached) {
    constexpr double kFetched = 0.2e-3;  // s
    for (ticks::Tick& tick : ticks) {
      tick.time += std::sqrt(3.0) * tick.time_sd;  // half of its bracket
      tick.time_sd = kFetched;
    }
  }
  // What a gap hides after every tick adds up, and with it every error of when that was.
  const bool gap = profile.counter && profile.counter->gap_length_s;
  if (trace.source.kind == SourceKind::power_samples) {
    return ticks::ring_ticks(ticks, profile.update_period_s->value);
  }
  if (gap) {
    ticks = ticks::on_grid(std::move(ticks), profile.update_period_s->value);
    for (ticks::Tick& tick : ticks)
      tick.time_sd = numerics::quadrature({tick.time_sd, kTickJitter});
    return ticks;
  }
  return cached ? ticks : ticks::narrow_wide_brackets(ticks, profile.update_period_s->value);
}

/// A tick shows the count up to the inner reading before it.
void blur_ticks(SourceView& view) {
  for (ticks::Tick& tick : view.ticks) {
    tick.time_sd = numerics::quadrature({tick.time_sd, view.inner_s / std::sqrt(12.0)});
  }
}

/// By how much a gap makes the counted energy younger on average: what it charges by its end is so
/// by half of its length.
double younger_by_gap(const SourceView& view) {
  const double length = view.gap->length;
  return length * length / 2 / view.model.update_period.count();
}

/// Age and time constant are one error where the delay, age less time constant, is known better
/// than either: so a slow filter's.
void tie_age_to_lag(SourceView& view, const SourceProfile& profile) {
  const double age = standard_uncertainty_of(profile.fitted->age_s);
  const double lag = view.lag_sd;
  if (!profile.delay_s || !(age > 0) || !(lag > 0)) return;
  // The window must be none of them.
  if (view.window_sd / 2 > kWindowShare * std::min(age, lag)) return;
  const double delay = standard_uncertainty_of(*profile.delay_s);
  const double correlation =
      std::clamp((age * age + lag * lag - delay * delay) / (2 * age * lag), 0.0, 1.0);
  view.age_by_lag = correlation * age / lag;
  view.age_sd = numerics::quadrature({age * std::sqrt(1 - correlation * correlation), kRunToRun});
}

SourceView view_of(const Trace& trace, const SourceProfile& profile, HostTime origin) {
  SourceView view{.source = trace.source};
  const FittedModel& fitted = *profile.fitted;
  const bool counter = counts_energy(trace.source);
  const double window = counter ? 0.0 : std::max(0.0, fitted.averaging_window_s.value);
  const double lag = std::max(0.0, fitted.time_constant_s.value);
  view.model = {.update_period = Seconds(profile.update_period_s->value),
                .averaging_window = Seconds(window),
                .time_constant = Seconds(lag),
                .delay = Seconds(fitted.age_s.value - lag - window / 2)};
  view.age_sd = numerics::quadrature({standard_uncertainty_of(fitted.age_s), kRunToRun});
  view.lag_sd = standard_uncertainty_of(fitted.time_constant_s);
  view.window_sd = counter ? 0.0 : standard_uncertainty_of(fitted.averaging_window_s);
  tie_age_to_lag(view, profile);
  view.ticks = placed_ticks(trace, origin, profile);
  if (trace.source.kind == SourceKind::power_samples) {
    const auto stamped = ticks::publications(trace, origin);
    for (const ticks::Tick& tick :
         ticks::ring_ticks(stamped, profile.update_period_s->value, ticks::Jitter::of_readings)) {
      view.by_stamps.push_back({tick.time, tick.time_sd});
    }
  }
  if (trace.source.kind == SourceKind::power_samples && lag > 0) {
    view.inner_s = kInnerPeriod;
    view.inner_first = true;
  }
  if (!counter) return view;
  if (profile.counter) view.agreement = profile.counter->agreement;
  view.integrates = profile.counter && profile.counter->counting == Counting::all;
  if (profile.counter && profile.counter->gap_begin_s && profile.counter->gap_length_s) {
    const Interval& length = *profile.counter->gap_length_s;
    view.gap = {*profile.counter->gap_begin_s, kGapDoubt, length.value,
                numerics::quadrature({kGapDoubt, standard_uncertainty_of(length)})};
    view.sums = true;
    view.inner_s = kInnerPeriod;
    view.inner_first = true;
    view.model.delay += Seconds(younger_by_gap(view));
    blur_ticks(view);
    return view;
  }
  const auto inner = profile.counter ? profile.counter->inner_period_s : std::nullopt;
  view.inner_s = inner.value_or(kInnerPeriod);
  if (inner) {
    // Each reading stands for the time since the one before, in whose middle it is on average.
    view.sums = true;
    view.model.delay += Seconds(view.inner_s / 2);
    return view;
  }
  blur_ticks(view);
  return view;
}

/// The inner readings that a counter adds up.
ObservationModel inner_model(const SourceView& view) {
  ObservationModel inner = view.model;
  inner.update_period = Seconds(view.inner_s);
  return inner;
}

void thin(SourceView& view) {
  const double open = view.model.averaging_window / view.model.update_period;
  const auto every = static_cast<std::size_t>(std::ceil(open / kMostOpen));
  if (every <= 1) return;
  std::vector<ticks::Tick> kept;
  for (std::size_t i = 0; i < view.ticks.size(); i += every) kept.push_back(view.ticks[i]);
  view.ticks = std::move(kept);
  view.by_stamps.clear();
}

const Calibration* calibration_of(const Knowledge& knowledge, SourceId source) {
  for (const Calibration& calibration : knowledge.calibrations) {
    if (calibration.source == source) return &calibration;
  }
  return nullptr;
}

/// Two calls for one register: nine of ten publications of both at one time have one value.
bool shows_the_same(const SourceView& a, const SourceView& b) {
  const std::size_t n = std::min(a.ticks.size(), b.ticks.size());
  if (n < 3 || a.source.kind == b.source.kind) return false;
  const double apart = a.model.update_period.count() / 2;
  std::size_t same = 0;
  std::size_t j = 0;
  for (const ticks::Tick& tick : a.ticks) {
    while (j < b.ticks.size() && b.ticks[j].time < tick.time - apart) ++j;
    if (j == b.ticks.size()) break;
    if (b.ticks[j].time > tick.time + apart) continue;
    same += b.ticks[j++].value == tick.value ? 1 : 0;
  }
  return 10 * same >= 9 * n;
}

}  // namespace

double alias_gain(const ObservationModel& model) {
  double most = 0.0;
  const double period = model.update_period.count();
  for (int m = 1; m <= kHarmonics; ++m) {
    const double x = std::numbers::pi * m * model.averaging_window.count() / period;
    const double boxcar = x < 1e-9 ? 1.0 : std::abs(std::sin(x) / x);
    const double lag = 2 * std::numbers::pi * m * model.time_constant.count() / period;
    most = std::max(most, boxcar / std::sqrt(1 + lag * lag));
  }
  return most;
}

SourceView integrating(SourceView view) {
  view.sums = false;
  if (view.gap) {
    view.model.delay -= Seconds(younger_by_gap(view));
    view.gap.reset();
    return view;
  }
  view.model.delay -= Seconds(view.inner_s / 2);
  view.inner_s = kInnerPeriod;
  blur_ticks(view);
  return view;
}

SourceView jittering(SourceView view) {
  assert(view.by_stamps.size() == view.ticks.size());
  for (std::size_t k = 0; k < view.ticks.size(); ++k) {
    view.ticks[k].time = view.by_stamps[k].time;
    view.ticks[k].time_sd = view.by_stamps[k].time_sd;
  }
  return view;
}

namespace {

/// A driver that samples into a ring makes its other power readings of the ring's: an average over
/// a second is the mean of fifty, an instant one the last, at a phase that differs from run to run.
/// Beside the ring they say nothing new, and what its sampling does to a load they do not show.
void leave_to_ring(std::vector<SourceView>& views) {
  const auto ring = std::find_if(views.begin(), views.end(), [](const SourceView& view) {
    return view.source.kind == SourceKind::power_samples;
  });
  if (ring == views.end()) return;
  const Seconds period = ring->model.update_period;
  std::erase_if(views, [period](const SourceView& view) {
    return !counts_energy(view.source) && view.model.update_period > period;
  });
}

/// An H200's counter adds up five readings a tick of the filter that its ring samples, 20 ms apart
/// but for one of them, which no kernel of a characterization fits whole. Where that did not find
/// that a counter beside a ring integrates, or where its gap is, it may do so: what work in step
/// with the ring makes of that is left open, its lag is the ring's, its age any.
void lay_on_ring(std::vector<SourceView>& views, const Profile& profile) {
  const SourceProfile* ring = find_source(profile, {SourceKind::power_samples, Scope::gpu});
  if (!ring || !has_model(*ring)) return;
  for (SourceView& view : views) {
    if (!counts_energy(view.source) || view.gap || view.integrates) continue;
    if (view.sums) view = integrating(std::move(view));
    view.ring_s = ring->update_period_s->value;
    view.inner_first = true;
    view.model.time_constant = Seconds(std::max(0.0, ring->fitted->time_constant_s.value));
    view.lag_sd = standard_uncertainty_of(ring->fitted->time_constant_s);
    view.age_sd = numerics::quadrature({view.age_sd, view.ring_s / std::sqrt(12.0)});
  }
}

}  // namespace

std::vector<SourceView> source_views(const Recording& recording, const Knowledge& knowledge,
                                     HostTime origin) {
  std::vector<SourceView> views;
  if (!knowledge.profile) return views;
  for (const Trace& trace : recording.traces) {
    const SourceProfile* profile = find_source(*knowledge.profile, trace.source);
    if (!profile || !has_model(*profile) || trace.samples.empty()) continue;
    SourceView view = view_of(trace, *profile, origin);
    if (view.ticks.size() < 4) continue;
    const bool counter = counts_energy(trace.source);
    view.quantum = quantum_of(view.ticks, counter);
    view.alias_gain = alias_gain(counter ? inner_model(view) : view.model);
    thin(view);
    if (const Calibration* known = calibration_of(knowledge, trace.source)) {
      view.calibrated = true;
      view.gain_sd = standard_uncertainty_of(known->gain) / known->gain.value;
      view.offset_sd = standard_uncertainty_of(known->offset_w);
      for (ticks::Tick& tick : view.ticks) {
        const double offset = known->offset_w.value * (counter ? tick.time : 1.0);
        tick.value = (tick.value - offset) / known->gain.value;
      }
    } else {
      view.gain_sd = kRelativeGain;
      view.offset_sd = kRelativeOffset;
    }
    const bool again = std::any_of(views.begin(), views.end(), [&view](const SourceView& other) {
      return shows_the_same(view, other);
    });
    if (!again && views.size() < kMostSources) views.push_back(std::move(view));
  }
  leave_to_ring(views);
  lay_on_ring(views, *knowledge.profile);
  return views;
}

namespace {

/// Integrals from the tick before to the gap and from there to the tick, and what the gap charges.
/// Where a tick was missed its gap counts as looked at.
std::vector<Look> looks_beside_gap(const SourceView& view, std::size_t k, double end) {
  if (k == 0) return {{end, 0.0, 0.0}};
  const double begin = end - (view.ticks[k].time - view.ticks[k - 1].time);
  const double gap = begin + view.gap->begin;
  const double behind = gap + view.gap->length;
  if (!(behind < end)) return {{begin, 0.0, -1.0}, {end, 0.0, 1.0}};
  return {{begin, 0.0, -1.0}, {gap, 0.0, 1.0}, {behind, view.gap->length, -1.0}, {end, 0.0, 1.0}};
}

}  // namespace

std::vector<Look> looks_at(const SourceView& view, std::size_t k) {
  const double end = view.ticks[k].time - view.model.delay.count();
  if (view.gap) return looks_beside_gap(view, k, end);
  if (view.sums) {
    if (k == 0) return {{end, 0.0, 0.0}};
    std::vector<Look> looks;
    const double since = view.ticks[k].time - view.ticks[k - 1].time;
    const int readings = std::max(1, static_cast<int>(std::lround(since / view.inner_s)));
    for (int i = readings - 1; i >= 0; --i) {
      looks.push_back({end - i * view.inner_s, since / readings, 0.0});
    }
    return looks;
  }
  if (counts_energy(view.source)) return {{end, 0.0, 1.0}};
  const double window = view.model.averaging_window.count();
  if (view.model.averaging_window < kPointWindow) return {{end, 1.0, 0.0}};
  return {{end - window, 0.0, -1 / window}, {end, 0.0, 1 / window}};
}

namespace {

/// Sum of the looks of a counter that adds them up, and what its last reading stands for.
std::vector<SignalResponse> summed_responses(const SourceView& view, const LaggedSignal& lagged) {
  std::vector<SignalResponse> responses;
  double sum = 0.0;
  std::size_t near = 0;
  for (std::size_t k = 0; k < view.ticks.size(); ++k) {
    LaggedSignal::Point last;
    for (const Look& look : looks_at(view, k)) {
      last = lagged.at(look.time, near);
      sum += look.value * last.value + look.integral * last.integral;
    }
    responses.push_back({sum, last.value, 0.0});
  }
  return responses;
}

}  // namespace

std::vector<SignalResponse> responses_of(const SourceView& view, const PowerSignal& course,
                                         double since) {
  std::vector<double> times;
  for (const ticks::Tick& tick : view.ticks) times.push_back(tick.time);
  if (!counts_energy(view.source)) return responses_to(course, times, view.model);
  const LaggedSignal lagged(course, view.model.time_constant.count());
  if (view.sums) return summed_responses(view, lagged);
  const double before = lagged.integral(since);
  std::vector<SignalResponse> responses;
  for (const double time : times) {
    const LaggedSignal::Point point = lagged.at(time - view.model.delay.count());
    responses.push_back({point.integral - before, point.value, 0.0});
  }
  return responses;
}

}  // namespace truewatt::energy
