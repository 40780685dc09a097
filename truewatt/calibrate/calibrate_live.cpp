#include "truewatt/calibrate/calibrate_live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/calibrate/metered_play.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/simgpu/random.hpp"

namespace truewatt::calibrate {
namespace {

using namespace std::chrono_literals;

/// Shares of the SMs; the last is so small that it leaves one block.
constexpr std::array kSharesOfSms{1.0, 0.8, 0.6, 0.4, 0.2, 0.001};
constexpr double kOn = 6.0;          // s
constexpr double kLevelPause = 5.0;  // s, and up to kMoreLevelPause
constexpr double kMoreLevelPause = 1.0;
/// Before the load: a source's tick is found, an average over a second has settled.
constexpr Nanoseconds kIdleBeforeLevels = 5s;
constexpr std::uint64_t kLevelPauses = 0x70617573;  // stream of random numbers

void say_how_far(const LiveCalibrationOptions& options, const load::Schedule& schedule,
                 Seconds since) {
  if (!options.progress) return;
  const double share = std::clamp(since / schedule.duration, 0.0, 1.0);
  options.progress(share,
                   fmt::format("calibrating: {:.0f} of {:.0f} s", share * schedule.duration.count(),
                               schedule.duration.count()));
}

std::vector<Window> windows_of(const load::Execution& execution) {
  std::vector<Window> windows;
  for (const ActivityInterval& interval : execution.activity) {
    windows.push_back({interval.begin, interval.end, to_string(interval.kind)});
  }
  return windows;
}

/// The recording of one play of the protocol.
Result<Recording> record(devices::DeviceSet& set, load::Load& load, const load::Schedule& schedule,
                         const LiveCalibrationOptions& options, const std::stop_token& stop) {
  auto session = experiment::Session::open(set, {.polling = options.polling, .stop = stop});
  if (!session) return Unexpected(session.error());
  session->start();
  const HostTime begin = session->clock().now() + kIdleBeforeLevels;
  const auto executions = session->play_out({{&load, &schedule}}, begin, [&] {
    say_how_far(options, schedule, Seconds(session->clock().now() - begin));
  });
  if (!executions) return Unexpected(executions.error());
  session->record_until(executions->front().end + kRecordedIdle);
  session->stop();
  Recording recording = session->recorder().recordings().front();
  recording.windows = windows_of(executions->front());
  return recording;
}

Result<MeteredRecording> record_with_meter(devices::DeviceSet& set, load::Load& load,
                                           const load::Schedule& schedule, sensor::Meter* meter,
                                           const LiveCalibrationOptions& options) {
  Recording recording;
  auto readings = metered(set, meter, options.seed, options.stop,
                          [&](const std::stop_token& stop) -> Result<void> {
                            auto recorded = record(set, load, schedule, options, stop);
                            if (!recorded) return Unexpected(recorded.error());
                            recording = *std::move(recorded);
                            return {};
                          });
  if (!readings) return Unexpected(readings.error());
  return MeteredRecording{std::move(recording), *std::move(readings)};
}

}  // namespace

load::Schedule calibration_schedule(int repetitions, std::uint64_t seed) {
  load::Schedule schedule{.spec = fmt::format("calibration, {} repetitions", repetitions)};
  std::uint64_t index = 0;
  for (int i = 0; i < repetitions; ++i) {
    for (const double level : kSharesOfSms) {
      if (index > 0) {
        const double more = kMoreLevelPause * simgpu::random_uniform(seed, kLevelPauses, index);
        schedule.steps.push_back({schedule.duration, 0.0});
        schedule.duration += Seconds(kLevelPause + more);
      }
      schedule.steps.push_back({schedule.duration, level});
      schedule.duration += Seconds(kOn);
      ++index;
    }
  }
  return schedule;
}

Result<CalibrationRun> calibrate_live(devices::DeviceSet& set, sensor::Meter* meter,
                                      const devices::Environment& environment,
                                      const LiveCalibrationOptions& options) {
  if (set.devices.size() != 1) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("a meter is on one GPU, and {} are named; choose with --device",
                                  set.devices.size()));
  }
  const load::Schedule schedule = calibration_schedule(options.repetitions, options.seed);
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  if (const auto prepared = (*load)->prepare(schedule); !prepared) {
    return Unexpected(prepared.error());
  }
  auto metered = record_with_meter(set, **load, schedule, meter, options);
  if (!metered) return Unexpected(metered.error());
  const std::vector<std::string> warnings = metered->meter.warnings;
  auto run = calibrate_recordings({*std::move(metered)}, options.calibrate);
  if (!run) return run;
  run->notes.insert(run->notes.end(), warnings.begin(), warnings.end());
  if (options.stop.stop_requested()) {
    for (Calibration& calibration : run->calibrations) {
      calibration.reasons.emplace_back(CalibrationReason::interrupted);
    }
  }
  return run;
}

}  // namespace truewatt::calibrate
