#include "truewatt/identification/profile/scope_findings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/identification/artefacts/client_cache.hpp"
#include "truewatt/identification/artefacts/scope_fit.hpp"
#include "truewatt/identification/fit/load_response.hpp"

namespace truewatt::identification {
namespace {

using ticks::Tick;

/// A source that changes only when work begins or ends still showed its value between.
constexpr int kMostRepeats = 100;
/// Two ticks of a counter are worth a power when they are known to this share of their distance.
constexpr double kSharpTick = 0.01;

std::vector<Work> work_of(const std::vector<ActivityInterval>& activity, HostTime origin) {
  if (activity.empty()) return {};
  Recording known;
  known.activity = activity;
  return identification::work_of(known, origin, activity.front().kind);
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

/// Mean power of a counter between ticks, at the later of the two: neighbours, or further apart
/// where ticks were seen too loosely to divide by their distance.
struct MeanPowers {
  std::vector<Tick> ticks;
  std::vector<double> lengths;  // s, that each is the mean over
};

MeanPowers mean_powers(const std::vector<Tick>& ticks) {
  MeanPowers powers;
  std::size_t before = 0;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const Tick& first = ticks[before];
    Tick power = ticks[i];
    const double length = power.time - first.time;
    const bool broken = !power.follows || power.value < first.value;
    if (std::max(first.time_sd, power.time_sd) < kSharpTick * length && !broken) {
      power.value = (power.value - first.value) / length;
      powers.ticks.push_back(power);
      powers.lengths.push_back(length);
      before = i;
    } else if (broken || power.time_sd < first.time_sd) {
      before = i;
    }
  }
  return powers;
}

ObservationModel model_of(const ObservationFit& fit) {
  return {.averaging_window = std::max(Seconds(fit.averaging_window.value), kPointWindow),
          .time_constant = Seconds(fit.time_constant.value),
          .delay = Seconds(fit.delay.value)};
}

/// Responses to settled work, 1 for full work: a column of the fit.
std::vector<double> settled(const std::vector<Tick>& ticks, const std::vector<Work>& work,
                            const ObservationModel& model) {
  std::vector<double> times;
  for (const Tick& tick : ticks) times.push_back(tick.time);
  const LoadResponse response(work, Shape::settled);
  std::vector<double> column;
  for (const auto& point : response.at(times, model)) column.push_back(point.reading);
  return column;
}

/// The same with the board's own rise and overshoot, for the work that the source was fitted to.
std::vector<double> as_fitted(const std::vector<Tick>& ticks, const std::vector<Work>& work,
                              const JointFit& joint) {
  std::vector<double> column;
  for (const double reading : readings_of(joint, ticks, work)) {
    column.push_back((reading - joint.idle_w) / joint.amplitude_w);
  }
  return column;
}

/// When there was which kind of work.
struct KindsOfWork {
  std::vector<Work> cpu;
  std::vector<Work> gpu;
  std::vector<Work> both;
};

std::vector<ScopeReading> power_readings(const std::vector<Tick>& ticks, const ObservationFit& fit,
                                         bool fitted_to_cpu, const KindsOfWork& work) {
  const ObservationModel model = model_of(fit);
  const auto cpu =
      fitted_to_cpu ? as_fitted(ticks, work.cpu, fit.joint) : settled(ticks, work.cpu, model);
  const auto gpu =
      fitted_to_cpu ? settled(ticks, work.gpu, model) : as_fitted(ticks, work.gpu, fit.joint);
  const auto both = settled(ticks, work.both, model);
  std::vector<ScopeReading> readings;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    readings.push_back({ticks[i].time, ticks[i].value, cpu[i], gpu[i], both[i]});
  }
  return readings;
}

std::vector<ScopeReading> counter_readings(const std::vector<Tick>& ticks,
                                           const KindsOfWork& work) {
  const MeanPowers powers = mean_powers(ticks);
  std::vector<ScopeReading> readings;
  for (std::size_t i = 0; i < powers.ticks.size(); ++i) {
    const std::vector<Tick> one{powers.ticks[i]};
    const ObservationModel model{.averaging_window = Seconds(powers.lengths[i])};
    readings.push_back({one[0].time, one[0].value, settled(one, work.cpu, model)[0],
                        settled(one, work.gpu, model)[0], settled(one, work.both, model)[0]});
  }
  return readings;
}

/// What the source answers, from its ticks during the comparison.
std::optional<ScopeFit> fit(const CharacterizedSource& source, const std::vector<Tick>& ticks,
                            bool fitted_to_cpu, const KindsOfWork& work) {
  const SourceProfile& profile = source.profile;
  const bool counter = counts_energy(profile.source);
  if (ticks.empty() || (!counter && !source.fit)) return std::nullopt;
  const auto readings = counter
                            ? counter_readings(ticks, work)
                            : power_readings(with_repeats(ticks, profile.update_period_s->value),
                                             *source.fit, fitted_to_cpu, work);
  const auto fitted = fit_scopes(readings);
  return fitted ? std::optional(*fitted) : std::nullopt;
}

bool reacts(const ScopeFit& fit) {
  return interval95(fit.cpu).lower > std::max(kLeastReaction, kReactionShare * fit.gpu.value);
}

/// Of two names of one source the plain `power.usage` gives way (SC'24 artifact), else the later.
bool gives_way_to(SourceId a, SourceId b) {
  const bool plain = row_of(a.kind).shows_another;
  return plain != row_of(b.kind).shows_another ? plain : b < a;
}

/// The source of which `source` is another name.
std::optional<SourceId> alias_of(const CharacterizedSource& source, const Recording& recording,
                                 HostTime origin, const std::vector<CharacterizedSource>& all) {
  const Trace* trace = find_trace(recording, source.profile.source);
  if (!trace || !source.profile.update_period_s) return std::nullopt;
  const auto ticks = publications_of(*trace, origin, source.profile);
  for (const CharacterizedSource& other : all) {
    const SourceId id = other.profile.source;
    const Trace* others = find_trace(recording, id);
    if (!others || !gives_way_to(source.profile.source, id)) continue;
    if (counts_energy(id) != counts_energy(source.profile.source)) continue;
    const auto share = identical_share(ticks, publications_of(*others, origin, other.profile),
                                       Seconds(source.profile.update_period_s->value));
    if (share.value_or(0.0) > kAliasShare) return id;
  }
  return std::nullopt;
}

void add_findings(const ScopeExperiment& experiment, const Recording& recording, HostTime origin,
                  bool host, std::vector<CharacterizedSource>& sources) {
  KindsOfWork work{.cpu = work_of(experiment.cpu, origin), .gpu = work_of(experiment.gpu, origin)};
  work.both = intersection(work.cpu, work.gpu);
  const double begin = seconds_between(origin, experiment.begin);
  const double end = seconds_between(origin, experiment.end);
  for (CharacterizedSource& source : sources) {
    SourceProfile& profile = source.profile;
    const Trace* trace = find_trace(recording, profile.source);
    if (!trace || !profile.update_period_s) continue;
    ScopeFinding finding{.alias_of = alias_of(source, recording, origin, sources)};
    auto ticks = publications_of(*trace, origin, profile);
    std::erase_if(ticks, [&](const Tick& tick) { return tick.time < begin || tick.time > end; });
    const bool fitted_to_cpu = host || profile.source.scope == Scope::cpu;
    if (const auto fitted = fit(source, ticks, fitted_to_cpu, work)) {
      finding.cpu_response_w = interval95(fitted->cpu);
      finding.gpu_response_w = interval95(fitted->gpu);
      finding.excess_w = interval95(fitted->excess);
      if (profile.source.scope == Scope::gpu && reacts(*fitted)) {
        profile.reasons.emplace_back(ProfileReason::observes_module);
      }
    }
    if (finding.alias_of) profile.reasons.emplace_back(ProfileReason::alias);
    profile.scopes = finding;
  }
}

}  // namespace

CharacterizedSource characterize_cpu_source(const Trace& trace, HostTime origin,
                                            const std::optional<ScopeExperiment>& experiment) {
  if (!experiment) {
    return {.profile = {.source = trace.source,
                        .verdict = SourceVerdict::unusable,
                        .reasons = {ProfileReason::no_cpu_load}}};
  }
  const HostTime end = experiment->cpu_end;
  Trace during = trace;
  std::erase_if(during.samples, [end](const Sample& sample) { return sample.seen > end; });
  during.end = std::min(during.end, end);
  // Of the host's sources some see the GPU too: they are fitted to CPU work alone.
  const bool cpu_only = trace.source.scope == Scope::cpu;
  return characterize_source(
      during, origin, work_of(experiment->cpu, origin),
      seconds_between(origin, cpu_only ? experiment->begin : experiment->end));
}

void add_scope_findings(const ScopeExperiment& experiment, const Recording& recording,
                        HostTime origin, std::vector<CharacterizedSource>& sources) {
  add_findings(experiment, recording, origin, false, sources);
}

HostProfile characterize_host(const Recording& recording, HostTime origin,
                              const ScopeExperiment& experiment) {
  std::vector<CharacterizedSource> sources;
  for (const Trace& trace : recording.traces) {
    sources.push_back(characterize_cpu_source(trace, origin, experiment));
  }
  add_findings(experiment, recording, origin, true, sources);
  HostProfile profile{.device = recording.device};
  for (CharacterizedSource& source : sources) {
    profile.sources.push_back(std::move(source.profile));
  }
  return profile;
}

bool stands_for_its_scope(const SourceProfile& profile) {
  return !has_reason(profile, ProfileReason::observes_module) &&
         !has_reason(profile, ProfileReason::alias);
}

}  // namespace truewatt::identification
