#include "truewatt/characterize/characterization.hpp"

#include <algorithm>
#include <utility>

#include "truewatt/base/format.hpp"
#include "truewatt/characterize/circumstances.hpp"
#include "truewatt/characterize/rounds.hpp"
#include "truewatt/characterize/schedules.hpp"
#include "truewatt/characterize/scope_experiment.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/identification/profile/cached_sources.hpp"
#include "truewatt/identification/profile/conclusions.hpp"
#include "truewatt/identification/profile/scope_findings.hpp"

namespace truewatt::characterize {
namespace {

/// What the CPU's own sources take of the budget.
constexpr double kCpuTimeShare = 0.25;

bool wants_scopes(const devices::DeviceSet& set, const CharacterizeOptions& options) {
  return options.scopes.value_or(is_superchip(set)) && options.budget >= kLeastScopeBudget;
}

/// The host's sockets that answer, to be polled beside a real device.
std::vector<std::unique_ptr<sensor::PowerSensor>> host_beside(
    const devices::DeviceSet& set, const devices::Environment& environment,
    const CharacterizeOptions& options) {
  if (set.simulated() || !wants_scopes(set, options)) return {};
  auto sensors = devices::open_host_sensors(environment);
  std::erase_if(sensors,
                [](const auto& sensor) { return sensor::answering_sources(*sensor).empty(); });
  return sensors;
}

/// Compares CPU and GPU work where that is wanted; what is left of the budget is in `options` then.
Result<std::optional<identification::ScopeExperiment>> compare_scopes(
    devices::DeviceSet& set, load::Load& gpu, experiment::Session& session, bool has_host,
    CharacterizeOptions& options) {
  if (!wants_scopes(set, options)) return std::optional<identification::ScopeExperiment>();
  const HostTime began = set.clock->now();
  auto experiment = play_scope_experiment(
      set, gpu, session,
      {.cpu_time =
           has_host || covers(set, Scope::cpu) ? kCpuTimeShare * options.budget : Seconds(0),
       .seed = options.seed,
       .progress = options.progress,
       .stop = options.stop});
  if (!experiment) return Unexpected(experiment.error());
  options.budget -= Seconds(set.clock->now() - began);
  return std::optional(std::move(*experiment));
}

/// The CPU's sources, and what each source answers to CPU and to GPU work.
void add_scopes(identification::Characterization& result,
                const std::optional<identification::ScopeExperiment>& experiment) {
  for (const Trace& trace : result.recording.traces) {
    if (trace.source.scope != Scope::cpu) continue;
    result.sources.push_back(
        identification::characterize_cpu_source(trace, result.origin, experiment));
  }
  if (!experiment) return;
  identification::add_scope_findings(*experiment, result.recording, result.origin, result.sources);
  result.notes.insert(result.notes.end(), experiment->notes.begin(), experiment->notes.end());
}

}  // namespace

Result<identification::Characterization> characterize(devices::DeviceSet& set,
                                                      const devices::Environment& environment,
                                                      const CharacterizeOptions& asked) {
  CharacterizeOptions options = asked;
  std::mt19937_64 rng(options.seed);
  auto loads = experiment::prepare_loads(set, scout_schedule(rng), environment, options.progress);
  if (!loads) return Unexpected(loads.error());
  Clock& clock = *set.clock;
  const auto host = host_beside(set, environment, options);
  auto session = experiment::Session::open(set,
                                           {.polling = options.polling,
                                            .out = options.out,
                                            .metadata = options.metadata,
                                            .stop = options.stop},
                                           [&](capture::Capture& capture) {
                                             for (const auto& socket : host)
                                               capture.add(*socket, options.polling);
                                           });
  if (!session) return Unexpected(session.error());
  capture::Recorder& recorder = session->recorder();
  session->start();
  const HostTime began = clock.now();
  auto scopes = compare_scopes(set, *loads->all.front(), *session, !host.empty(), options);
  if (!scopes) return Unexpected(scopes.error());
  Rounds rounds(*session, *loads->all.front(), options);
  const auto ran = rounds.run();
  session->stop();
  if (*scopes) recorder.add_activity(0, (*scopes)->gpu);
  recorder.add_activity(0, rounds.activity());
  if (*scopes) recorder.add_activity(0, (*scopes)->cpu);
  record_circumstances(*set.devices.front().sensor, *loads->all.front(), began, recorder);
  for (CaptureEvent& event : rounds.events()) recorder.apply({0, std::move(event)});
  recorder.finish();
  if (!ran) return Unexpected(ran.error());

  experiment::say(options.progress, 1.0, "fitting");
  identification::Characterization result;
  result.recording = recorder.recordings().front();
  result.file_error = recorder.write_error();
  result.profile.device = result.recording.device;
  result.profile.duration_s = Seconds(clock.now() - began).count();
  result.profile.created = format_utc(clock.realtime_now());
  rounds.fit_all(result.recording);
  result.origin = rounds.origin();
  result.work = rounds.work();
  result.sources = std::move(rounds.sources());
  identification::allow_for_held_readings(result.sources, result.work);
  result.notes = set.devices.front().sensor->notes();
  add_scopes(result, *scopes);
  if (!clock.is_virtual()) identification::allow_for_host_clock(result);
  for (const identification::CharacterizedSource& source : result.sources) {
    result.profile.sources.push_back(source.profile);
  }
  for (std::size_t i = 1; *scopes && i < recorder.recordings().size(); ++i) {
    result.profile.host.push_back(
        identification::characterize_host(recorder.recordings()[i], result.origin, **scopes));
  }
  identification::add_refused(result.profile, result.recording);
  identification::conclude(result);
  if (options.stop.stop_requested())
    identification::add_reason(result.profile, ProfileReason::interrupted);
  return result;
}

}  // namespace truewatt::characterize
