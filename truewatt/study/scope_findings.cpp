#include "truewatt/study/scope_findings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/identification/client_cache.hpp"
#include "truewatt/identification/load_response.hpp"
#include "truewatt/identification/scope_fit.hpp"

namespace truewatt::study {
namespace {

using energy::Tick;
using identification::Work;

constexpr std::string_view kObservesModule = "observes_module";
constexpr std::string_view kAlias = "alias";
/// A source that changes only when work begins or ends still showed its value between.
constexpr int kMostRepeats = 100;
/// A counter's tick is worth a power when it is known to this share of the update period.
constexpr double kSharpTick = 0.01;

std::vector<Work> work_of(const std::vector<ActivityInterval>& activity, HostTime origin) {
  Recording known;
  known.activity = activity;
  return identification::work_of(known, origin, activity.empty() ? "" : activity.front().level);
}

/// When both worked.
std::vector<Work> intersection(const std::vector<Work>& a, const std::vector<Work>& b) {
  std::vector<Work> both;
  for (const Work& x : a) {
    for (const Work& y : b) {
      const Work common{std::max(x.begin, y.begin), std::min(x.end, y.end)};
      if (common.begin < common.end) both.push_back(common);
    }
  }
  return both;
}

bool has_reason(const SourceProfile& profile, std::string_view reason) {
  return std::find(profile.reasons.begin(), profile.reasons.end(), reason) != profile.reasons.end();
}

std::vector<Tick> ticks_of(const Trace& trace, HostTime origin, const SourceProfile& profile) {
  return has_reason(profile, "client_cache") ? identification::refreshes(trace, origin)
                                             : energy::publications(trace, origin);
}

/// The ticks with those at which the same value was published again, which nobody can see.
std::vector<Tick> with_repeats(const std::vector<Tick>& ticks, double period) {
  std::vector<Tick> all;
  for (const Tick& tick : ticks) {
    if (!all.empty() && tick.follows) {
      const Tick shown = all.back();
      const auto intervals = std::lround((tick.time - shown.time) / period);
      for (long m = 1; m < std::min<long>(intervals, kMostRepeats); ++m) {
        Tick repeat = shown;
        repeat.time += static_cast<double>(m) * period;
        all.push_back(repeat);
      }
    }
    all.push_back(tick);
  }
  return all;
}

/// Mean power of a counter between neighbouring ticks, at the later of the two. Ticks that were
/// seen too loosely to divide by their distance are left out.
std::vector<Tick> mean_powers(const std::vector<Tick>& ticks, double period) {
  std::vector<Tick> powers;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const Tick& before = ticks[i - 1];
    Tick power = ticks[i];
    const double length = power.time - before.time;
    const bool sharp = std::max(before.time_sd, power.time_sd) < kSharpTick * period;
    const bool neighbours = sharp && power.follows && std::lround(length / period) == 1;
    if (!neighbours || power.value < before.value) continue;
    power.value = (power.value - before.value) / length;
    powers.push_back(power);
  }
  return powers;
}

/// How a source looks at power: its fit, or for a counter the whole of its update period.
ObservationModel model_of(const CharacterizedSource& source) {
  const double period = source.profile.update_period_s->value;
  if (counts_energy(source.profile.source) || !source.fit) {
    return {.update_period = Seconds(period), .averaging_window = Seconds(period)};
  }
  const auto& fit = *source.fit;
  return {.update_period = Seconds(period),
          .averaging_window = std::max(Seconds(fit.averaging_window.value), kPointWindow),
          .time_constant = Seconds(fit.time_constant.value),
          .delay = Seconds(fit.delay.value)};
}

/// Responses to work, 1 for settled work; with the board's own rise and overshoot where the source
/// was fitted to this kind of work.
std::vector<double> responses(const CharacterizedSource& source, const std::vector<Tick>& ticks,
                              const std::vector<Work>& work, bool as_fitted) {
  std::vector<double> column;
  if (as_fitted && source.fit && !counts_energy(source.profile.source)) {
    const auto& joint = source.fit->joint;
    for (const double reading : identification::readings_of(joint, ticks, work)) {
      column.push_back((reading - joint.idle_w) / joint.amplitude_w);
    }
    return column;
  }
  std::vector<double> times;
  for (const Tick& tick : ticks) times.push_back(tick.time);
  const identification::LoadResponse response(work, identification::Shape::settled);
  for (const auto& point : response.at(times, model_of(source))) column.push_back(point.reading);
  return column;
}

std::optional<identification::ScopeFit> fit(const CharacterizedSource& source,
                                            std::vector<Tick> ticks, const std::vector<Work>& cpu,
                                            const std::vector<Work>& gpu) {
  const SourceProfile& profile = source.profile;
  const double period = profile.update_period_s->value;
  ticks = counts_energy(profile.source) ? mean_powers(ticks, period) : with_repeats(ticks, period);
  const bool of_cpu = profile.source.scope == Scope::cpu;
  const auto by_cpu = responses(source, ticks, cpu, of_cpu);
  const auto by_gpu = responses(source, ticks, gpu, !of_cpu);
  const auto by_both = responses(source, ticks, intersection(cpu, gpu), false);
  std::vector<identification::ScopeReading> readings;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    readings.push_back({ticks[i].time, ticks[i].value, by_cpu[i], by_gpu[i], by_both[i]});
  }
  const auto fitted = identification::fit_scopes(readings);
  return fitted ? std::optional(*fitted) : std::nullopt;
}

bool reacts(const identification::ScopeFit& fit) {
  return interval95(fit.cpu).lower > std::max(kLeastReaction, kReactionShare * fit.gpu.value);
}

/// Of two names of one source the plain `power.usage` gives way (SC'24 artifact), else the later.
bool gives_way_to(SourceId a, SourceId b) {
  const auto rank = [](SourceId source) { return source.kind == SourceKind::power_usage ? 1 : 0; };
  return rank(a) != rank(b) ? rank(a) > rank(b) : b < a;
}

/// The source of which `source` is another name.
std::optional<SourceId> alias_of(const CharacterizedSource& source, const Recording& recording,
                                 HostTime origin, const std::vector<CharacterizedSource>& all) {
  const Trace* trace = find_trace(recording, source.profile.source);
  if (!trace || !source.profile.update_period_s) return std::nullopt;
  const auto ticks = ticks_of(*trace, origin, source.profile);
  for (const CharacterizedSource& other : all) {
    const SourceId id = other.profile.source;
    const Trace* others = find_trace(recording, id);
    if (!others || !gives_way_to(source.profile.source, id)) continue;
    if (counts_energy(id) != counts_energy(source.profile.source)) continue;
    const auto share =
        identification::identical_share(ticks, ticks_of(*others, origin, other.profile),
                                        Seconds(source.profile.update_period_s->value));
    if (share.value_or(0.0) > identification::kAliasShare) return id;
  }
  return std::nullopt;
}

}  // namespace

CharacterizedSource characterize_cpu_source(const Trace& trace, HostTime origin,
                                            const std::optional<ScopeExperiment>& experiment) {
  if (!experiment) {
    return {.profile = {.source = trace.source, .verdict = "unusable", .reasons = {"no_cpu_load"}}};
  }
  const HostTime end = experiment->cpu_end;
  Trace during = trace;
  std::erase_if(during.samples, [end](const Sample& sample) { return sample.seen > end; });
  during.end = std::min(during.end, end);
  return characterize_source(during, origin, work_of(experiment->cpu, origin),
                             seconds_between(origin, experiment->begin));
}

void add_scope_findings(const ScopeExperiment& experiment, const Recording& recording,
                        HostTime origin, std::vector<CharacterizedSource>& sources) {
  const auto cpu = work_of(experiment.cpu, origin);
  const auto gpu = work_of(experiment.gpu, origin);
  const double begin = seconds_between(origin, experiment.begin);
  const double end = seconds_between(origin, experiment.end);
  for (CharacterizedSource& source : sources) {
    SourceProfile& profile = source.profile;
    const Trace* trace = find_trace(recording, profile.source);
    if (!trace || !profile.update_period_s) continue;
    ScopeFinding finding{.alias_of = alias_of(source, recording, origin, sources)};
    if (source.fit || counts_energy(profile.source)) {
      auto ticks = ticks_of(*trace, origin, profile);
      std::erase_if(ticks, [&](const Tick& tick) { return tick.time < begin || tick.time > end; });
      if (const auto fitted = ticks.empty() ? std::nullopt : fit(source, ticks, cpu, gpu)) {
        finding.cpu_response_w = interval95(fitted->cpu);
        finding.gpu_response_w = interval95(fitted->gpu);
        finding.excess_w = interval95(fitted->excess);
        if (profile.source.scope == Scope::gpu && reacts(*fitted)) {
          profile.reasons.emplace_back(kObservesModule);
        }
      }
    }
    if (finding.alias_of) profile.reasons.emplace_back(kAlias);
    profile.scopes = finding;
  }
}

bool stands_for_its_scope(const SourceProfile& profile) {
  return !has_reason(profile, kObservesModule) && !has_reason(profile, kAlias);
}

}  // namespace truewatt::study
