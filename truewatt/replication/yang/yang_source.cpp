#include "truewatt/replication/yang/yang_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "truewatt/numerics/summary.hpp"
#include "truewatt/replication/readers/power_readings.hpp"
#include "truewatt/replication/yang/yang_step.hpp"
#include "truewatt/replication/yang/yang_update.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::replication {
namespace {

using identification::Work;
using numerics::Summary;

/// The next load never begins sooner after a step.
constexpr double kIdleAfterYangStep = 5.0;  // s
/// Waves of a period further from this than that were played for another source.
constexpr double kSamePeriod = 0.05;
/// Fig. 10 is judged from so many runs: a source in step with the load shows one phase per run, and
/// eight phases at random are all on one side once in 128 times.
constexpr std::size_t kFewestPhases = 8;

Interval with_standard_error(double value, const Summary& summary) {
  return interval95({value, summary.standard_error()});
}

void keep(SourceProfile& profile, const std::string& name, const Summary& summary) {
  profile.protocol_values[name + "_mean_s"] = summary.mean;
  profile.protocol_values[name + "_sd_s"] = summary.sd;
  profile.protocol_values[name + "_count"] = static_cast<double>(summary.count);
}

/// The readings of a run that the paper compares: all but those of the first second.
std::span<const ticks::Tick> compared(std::span<const ticks::Tick> readings,
                                      const YangLoads::Wave& wave) {
  return within(readings, wave.work.front().begin + yang::kDiscarded, wave.work.back().end);
}

/// Part 1, section IV-A.
void find_update_period(YangSource& source, const Trace& trace, const YangLoads& loads) {
  const auto at = [&loads](double seconds) {
    return loads.origin + to_nanoseconds(Seconds(seconds));
  };
  const auto runs = numerics::summarize(
      yang::run_lengths(trace, at(loads.update_wave.begin), at(loads.update_wave.end)));
  if (!runs) return;
  keep(source.profile, "update", *runs);
  source.profile.protocol_values["update_median_s"] = runs->median;
  source.profile.update_period_s = with_standard_error(runs->median, *runs);
}

std::vector<std::vector<yang::StepResponse>> step_responses(
    const std::vector<ticks::Tick>& readings, const YangLoads& loads) {
  std::vector<std::vector<yang::StepResponse>> responses;
  for (const std::vector<Work>& level : loads.steps) {
    responses.emplace_back();
    for (const Work& step : level) {
      const auto response = yang::step_response(readings, step, step.end + kIdleAfterYangStep);
      if (response) responses.back().push_back(*response);
    }
  }
  return responses;
}

ResponseClass response_of(yang::TransientKind kind) {
  if (kind == yang::TransientKind::averaging) return ResponseClass::ramp;
  return kind == yang::TransientKind::logarithmic ? ResponseClass::exponential
                                                  : ResponseClass::instant;
}

/// Part 2a, section IV-B.
void find_transient(YangSource& source,
                    const std::vector<std::vector<yang::StepResponse>>& responses) {
  SourceProfile& profile = source.profile;
  const auto transient = yang::summarize_transient(responses, profile.update_period_s->value);
  if (!transient) return;
  keep(profile, "rise", transient->rise);
  keep(profile, "crossing", transient->delay);
  profile.protocol_values["transient_kind"] = static_cast<double>(transient->kind);
  profile.rise_time_s = with_standard_error(transient->rise.mean, transient->rise);
  profile.response = response_of(transient->kind);
  source.window_wanted = !transient->too_long_for_window();
  if (source.window_wanted) return;
  profile.reasons.emplace_back(ProfileReason::rise_time_too_long);
  if (transient->kind == yang::TransientKind::averaging) profile.verdict = SourceVerdict::trailing;
}

bool was_played_for(const YangLoads& loads, double update_period) {
  return !loads.update_period_waves.empty() &&
         std::abs(loads.update_period_waves.front().period / update_period - 1.0) < kSamePeriod;
}

/// Mean of the runs' loss curves, each at the delay that its run was fitted with.
void add_losses(std::vector<yang::LossPoint>& sum, const std::vector<yang::LossPoint>& curve) {
  if (sum.empty()) {
    sum = curve;
    return;
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i].loss += curve[i].loss;
}

/// Part 2c, section IV-C.
void find_window(YangSource& source, std::span<const ticks::Tick> readings,
                 const YangLoads& loads) {
  SourceProfile& profile = source.profile;
  const double period = profile.update_period_s->value;
  std::vector<double> windows;
  for (const YangLoads::Wave& wave : loads.waves) {
    const yang::WaveRun run{compared(readings, wave), wave.work};
    const auto fit = yang::fit_window(run, period);
    if (!fit) continue;
    source.fits.push_back(*fit);
    windows.push_back(fit->window);
    add_losses(source.loss_curve, yang::loss_curve(run, period, fit->delay));
  }
  const auto summary = numerics::summarize(windows);
  if (!summary) return;
  for (yang::LossPoint& point : source.loss_curve) {
    point.loss /= static_cast<double>(summary->count);
  }
  keep(profile, "window", *summary);
  profile.protocol_values["window_median_s"] = summary->median;
  if (const auto lowest = yang::lowest(source.loss_curve)) {
    profile.protocol_values["loss_minimum_s"] = *lowest;
  }
  profile.averaging_window_s = with_standard_error(summary->mean, *summary);
  profile.duty = std::min(1.0, summary->mean / period);
}

/// Fig. 10.
void judge_swing(YangSource& source, std::span<const ticks::Tick> readings, const YangLoads& loads,
                 const std::vector<std::vector<yang::StepResponse>>& responses) {
  if (loads.update_period_waves.size() < kFewestPhases) return;
  if (responses.empty() || responses.front().empty()) return;
  std::vector<double> amplitudes;
  for (const yang::StepResponse& response : responses.front()) {
    amplitudes.push_back(response.top_w - response.base_w);
  }
  std::vector<double> shown;
  for (const YangLoads::Wave& wave : loads.update_period_waves) {
    for (const ticks::Tick& tick : compared(readings, wave)) shown.push_back(tick.value);
  }
  const auto share = yang::swing_share(shown, numerics::summarize(amplitudes)->mean);
  if (!share) return;
  source.profile.protocol_values["swing_share"] = *share;
  source.profile.verdict =
      *share < yang::kFlatShare ? SourceVerdict::complete : SourceVerdict::part_time;
}

}  // namespace

YangSource yang_source(const Trace& trace, const YangLoads& loads) {
  YangSource source;
  SourceProfile& profile = source.profile;
  profile.source = trace.source;
  profile.reasons.emplace_back(ProfileReason::not_in_the_protocol);
  if (counts_energy(trace.source) || trace.samples.empty()) return source;
  find_update_period(source, trace, loads);
  if (!profile.update_period_s) {
    profile.reasons.emplace_back(ProfileReason::update_period_not_found);
    return source;
  }
  profile.reasons.emplace_back(ProfileReason::interval_is_standard_error);
  const std::vector<ticks::Tick> readings = ticks::publications(trace, loads.origin);
  const auto responses = step_responses(readings, loads);
  find_transient(source, responses);
  if (!source.window_wanted || !was_played_for(loads, profile.update_period_s->value)) {
    return source;
  }
  find_window(source, readings, loads);
  judge_swing(source, readings, loads, responses);
  return source;
}

}  // namespace truewatt::replication
