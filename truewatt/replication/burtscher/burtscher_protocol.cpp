#include "truewatt/replication/burtscher/burtscher_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/base/format.hpp"
#include "truewatt/capture/recorder.hpp"
#include "truewatt/characterize/circumstances.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/identification/profile/conclusions.hpp"

namespace truewatt::replication {
namespace {

using namespace std::chrono_literals;

constexpr Seconds kLead{0.5};  // until the schedule begins
constexpr Nanoseconds kBetweenMessages = 1s;

/// The device keeps its context in the idle before and after.
load::Schedule one_step() {
  const Seconds end = kBurtscherIdleBefore + kBurtscherKernel;
  return {.steps = {{Seconds(0), 0.0}, {kBurtscherIdleBefore, 1.0}, {end, 0.0}},
          .duration = end + kBurtscherIdleAfter,
          .spec = "one step"};
}

/// Samples until `end`, saying how far it is.
void watch(experiment::Session& session, HostTime end, const BurtscherOptions& options) {
  const Clock& clock = session.clock();
  const HostTime begin = clock.now();
  while (clock.now() < end && !options.stop.stop_requested()) {
    session.record_until(std::min(end, clock.now() + kBetweenMessages));
    const Seconds spent(clock.now() - begin);
    const Seconds all(end - begin);
    experiment::say(options.progress, std::min(spent / all, 1.0),
                    fmt::format("{:.0f} of {:.0f} s", spent.count(), all.count()));
  }
}

}  // namespace

Seconds burtscher_duration() { return kLead + one_step().duration; }

Result<BurtscherRun> judge_by_burtscher(const Recording& recording) {
  if (recording.activity.empty()) {
    return Unexpected(Errc::insufficient_data, "the recording does not say when a load ran");
  }
  BurtscherRun run{.recording = recording};
  BurtscherLoad load{.origin = HostTime::max()};
  HostTime end = HostTime::min();
  for (const Trace& trace : recording.traces) {
    if (trace.samples.empty()) continue;
    load.origin = std::min(load.origin, trace.begin);
    end = std::max(end, trace.end);
  }
  if (load.origin == HostTime::max()) {
    return Unexpected(Errc::insufficient_data, "the recording holds no reading");
  }
  const ActivityInterval& worked = recording.activity.front();
  load.work = {seconds_between(load.origin, worked.begin),
               seconds_between(load.origin, worked.end)};
  run.profile.protocol = PublishedProtocol::burtscher;
  run.profile.device = recording.device;
  run.profile.duration_s = seconds_between(load.origin, end);
  if (!recording.clock_pairs.empty()) {
    run.profile.created = format_utc(recording.clock_pairs.back().driver);
  }
  for (const Trace& trace : recording.traces) {
    BurtscherSource source = burtscher_source(trace, load);
    run.profile.sources.push_back(std::move(source.profile));
    if (!source.figures.readings.empty()) run.figures.push_back(std::move(source.figures));
  }
  identification::judge_conditions(run.profile, recording);
  identification::add_refused(run.profile, recording);
  return run;
}

Result<BurtscherRun> run_burtscher_protocol(devices::DeviceSet& set,
                                            const devices::Environment& environment,
                                            const BurtscherOptions& options) {
  const load::Schedule schedule = one_step();
  auto loads = experiment::prepare_loads(set, schedule, environment, options.progress);
  if (!loads) return Unexpected(loads.error());
  Clock& clock = *set.clock;
  auto session = experiment::Session::open(set, {.polling = options.polling,
                                                 .out = options.out,
                                                 .metadata = options.metadata,
                                                 .stop = options.stop});
  if (!session) return Unexpected(session.error());
  capture::Recorder& recorder = session->recorder();
  const HostTime began = clock.now();
  session->start();
  const auto executions =
      session->play(loads->all, schedule, clock.now() + to_nanoseconds(kLead), [&] {
        experiment::say(options.progress, std::nullopt,
                        "one step of full load, and what follows it");
      });
  if (!executions) return Unexpected(executions.error());
  watch(*session, executions->front().end, options);
  session->stop();
  recorder.add_activity(0, executions->front().activity);
  characterize::record_circumstances(*set.devices.front().sensor, *loads->all.front(), began,
                                     recorder);
  recorder.finish();

  const bool interrupted = options.stop.stop_requested();
  if (interrupted && executions->front().activity.empty()) {
    return Unexpected(Errc::insufficient_data, "interrupted before the load ran");
  }
  auto run = judge_by_burtscher(recorder.recordings().front());
  if (!run) return run;
  run->file_error = recorder.write_error();
  run->profile.created = format_utc(clock.realtime_now());
  run->profile.duration_s = Seconds(clock.now() - began).count();
  if (interrupted) identification::add_reason(run->profile, ProfileReason::interrupted);
  return run;
}

}  // namespace truewatt::replication
