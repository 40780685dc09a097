#include "truewatt/replication/burtscher/burtscher_source.hpp"

#include <algorithm>

#include "truewatt/numerics/summary.hpp"
#include "truewatt/replication/burtscher/burtscher_capacitor.hpp"
#include "truewatt/replication/burtscher/burtscher_phases.hpp"
#include "truewatt/replication/readers/power_readings.hpp"
#include "truewatt/replication/yang/yang_source.hpp"
#include "truewatt/replication/yang/yang_update.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::replication {
namespace {

using burtscher::Phases;
using burtscher::StepKind;
using Ticks = std::vector<ticks::Tick>;

/// The authors' tool counts what is 2.5 W above the paper's active idle (55 W for 52.5 W) ...
constexpr double kAboveActiveIdle = 2.5;  // W
/// ... and where a board's load is faint, that is at most so much of its step.
constexpr double kMostOfStep = 0.1;
constexpr std::size_t kMostDrawn = 6000;

/// From one change of the reading to the next (Figs 4, 5). The update period is not their median,
/// which doubles where values often come out equal: the paper counts those too.
bool find_intervals(BurtscherSource& source, const Trace& trace, const BurtscherLoad& load) {
  const std::vector<double> lengths = yang::run_lengths(trace);
  const auto runs = numerics::summarize(lengths);
  if (!runs) return false;
  auto& values = source.profile.protocol_values;
  values["update_median_s"] = runs->median;
  values["update_mean_s"] = runs->mean;
  values["update_sd_s"] = runs->sd;
  values["update_count"] = static_cast<double>(runs->count);
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  values["update_min_s"] = *shortest;
  values["update_max_s"] = *longest;
  source.profile.update_period_s =
      ticks::update_period(ticks::publications(trace, load.origin))
          .value_or(interval95({runs->median, runs->standard_error()}));
  for (std::size_t i = 2; i < trace.samples.size() && i < kMostDrawn; ++i) {
    source.figures.intervals.push_back(
        {seconds_between(load.origin, trace.samples[i].seen) - load.work.begin, lengths[i - 2]});
  }
  return true;
}

/// The constant, where there is one; s, 0 without.
double find_capacitor(SourceProfile& profile, const Ticks& readings, const BurtscherLoad& load) {
  const auto answer =
      burtscher::answer_to_step(readings, load.work, profile.update_period_s->value);
  switch (answer.kind) {
    case StepKind::capacitor:
      profile.response = ResponseClass::exponential;
      profile.time_constant_s = interval95(answer.capacitor->constant);
      profile.protocol_values["capacitor_s"] = answer.capacitor->constant.value;
      profile.protocol_values["capacitor_difference_w"] = answer.capacitor->difference_w;
      return answer.capacitor->constant.value;
    case StepKind::instant:
      profile.response = ResponseClass::instant;
      profile.reasons.emplace_back(ProfileReason::no_capacitor);
      break;
    case StepKind::ramp:
      profile.response = ResponseClass::ramp;
      profile.verdict = SourceVerdict::trailing;
      profile.reasons.emplace_back(ProfileReason::rises_in_a_line);
      break;
    case StepKind::slow_board:
      profile.response = ResponseClass::instant;
      profile.reasons.emplace_back(ProfileReason::board_rises_slowly);
      break;
    case StepKind::unknown:
      break;
  }
  return 0.0;
}

void keep_levels(SourceProfile& profile, const Phases& phases) {
  auto& values = profile.protocol_values;
  values["idle_w"] = phases.idle_w;
  values["load_w"] = phases.load_w;
  if (phases.active_idle_w) values["active_idle_w"] = *phases.active_idle_w;
  if (!phases.idle_is_steady) profile.reasons.emplace_back(ProfileReason::idle_not_steady);
  if (!phases.t2) return;
  if (!phases.t4) profile.reasons.emplace_back(ProfileReason::idle_not_reached);
  if (!phases.active_idle_w && phases.stairs.empty()) {
    profile.reasons.emplace_back(ProfileReason::no_active_idle);
  }
  values["stairs_count"] = static_cast<double>(phases.stairs.size());
  if (phases.t3) values["active_idle_hold_s"] = *phases.t3 - *phases.t2;
  if (phases.stairs.size() < 2) return;
  values["stair_s"] = (phases.stairs.back().time - phases.stairs.front().time) /
                      (static_cast<double>(phases.stairs.size()) - 1.0);
}

void keep_times(BurtscherSource& source, const Phases& phases, const BurtscherLoad& load) {
  const auto keep = [&](const char* name, const std::optional<double>& time) {
    if (!time) return;
    source.profile.protocol_values[name] = *time - load.work.begin;
    source.figures.phases.push_back(*time - load.work.begin);
  };
  keep("t1_s", phases.t1);
  keep("t2_s", phases.t2);
  keep("t3_s", phases.t3);
  keep("t4_s", phases.t4);
}

/// Least corrected power that is the kernel's (section 5, step 4).
double threshold_of(const Phases& phases) {
  const double active_idle = phases.active_idle_w.value_or(phases.idle_w);
  return active_idle + std::min(kAboveActiveIdle, kMostOfStep * (phases.load_w - active_idle));
}

/// Sections 4.1, 4.2 and 6: what the readings hold of the kernel and of its tail. The kernel's
/// begin and end are known; t1 and t2 are where the readings have them.
void keep_energies(SourceProfile& profile, const Ticks& readings, const Ticks& power,
                   const Phases& phases, const identification::Work& work) {
  if (!phases.t1 || !phases.t2) return;
  auto& values = profile.protocol_values;
  values["raw_j"] = energy_of(readings, work.begin, work.end);
  values["level_j"] = phases.load_w * (work.end - work.begin);
  // An update to either side: the profile's edges lie between readings.
  const double period = profile.update_period_s->value;
  if (profile.time_constant_s) {
    values["corrected_j"] =
        energy_above(power, *phases.t1 - period, *phases.t2 + period, threshold_of(phases)).joules;
  }
  if (phases.t3) values["tail_curve_j"] = energy_of(readings, work.end, *phases.t3);
  if (phases.t3 && phases.t4) {
    values["tail_stairs_j"] = energy_of(readings, *phases.t3, *phases.t4);
  }
  if (!phases.t4) return;
  values["tail_j"] = energy_of(readings, work.end, *phases.t4);
  values["tail_above_idle_j"] = values["tail_j"] - phases.idle_w * (*phases.t4 - work.end);
}

void draw(BurtscherSource& source, const Ticks& readings, const Ticks& power,
          const BurtscherLoad& load) {
  for (std::size_t i = 0; i < readings.size() && i < kMostDrawn; ++i) {
    source.figures.readings.push_back(
        {readings[i].time - load.work.begin, readings[i].value, power[i].value});
  }
}

}  // namespace

BurtscherSource burtscher_source(const Trace& trace, const BurtscherLoad& load) {
  BurtscherSource source;
  SourceProfile& profile = source.profile;
  profile.source = trace.source;
  source.figures.source = trace.source;
  source.figures.load = {0.0, load.work.end - load.work.begin};
  profile.reasons.emplace_back(ProfileReason::not_in_the_protocol);
  if (counts_energy(trace.source) || trace.samples.empty()) return source;
  if (!find_intervals(source, trace, load)) {
    profile.reasons.emplace_back(ProfileReason::update_period_not_found);
    return source;
  }
  profile.reasons.emplace_back(ProfileReason::interval_is_standard_error);
  const Ticks readings = new_readings(trace, load.origin, profile.update_period_s->value);
  const double constant = find_capacitor(profile, readings, load);
  const Ticks power = corrected(readings, constant);
  profile.protocol_values["load_s"] = load.work.end - load.work.begin;
  const std::size_t in_load = within(readings, load.work.begin, load.work.end).size();
  profile.protocol_values["readings_count"] = static_cast<double>(in_load);
  if (in_load < burtscher::kFewestReadings) {
    profile.reasons.emplace_back(ProfileReason::too_few_readings);
  }
  draw(source, readings, power, load);
  const auto phases = burtscher::find_phases(readings, constant, load.work);
  if (!phases) {
    profile.reasons.emplace_back(ProfileReason::no_step_seen);
    return source;
  }
  keep_levels(profile, *phases);
  keep_times(source, *phases, load);
  keep_energies(profile, readings, power, *phases, load.work);
  return source;
}

}  // namespace truewatt::replication
