#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "truewatt/capture/capture.hpp"
#include "truewatt/experiment/session.hpp"

namespace truewatt::measure {

/// Hours of a simulated device, in virtual time.
struct LongCapturePlan {
  std::string device;  ///< "sim:h200"
  std::string load;    ///< its SPEC; it begins 20 ms after the window does
  Nanoseconds length{};
  std::size_t most_samples = capture::Recorder::kMostSamples;  ///< of a source, kept one by one
};

struct LongCapture {
  Recording recording;
  Window window;
  double truth_j = 0.0;
};

/// Samples as `run` does: the window's edges are attended alone. Errors: those of devices and SPEC.
inline Result<LongCapture> long_capture(const LongCapturePlan& plan) {
  using namespace std::chrono_literals;
  auto set = devices::open_devices({.selectors = {plan.device}, .seed = 7}, {});
  if (!set) return Unexpected(set.error());
  const auto schedule = load::parse_schedule(plan.load, 1);
  if (!schedule) return Unexpected(schedule.error());
  auto loads = experiment::prepare_loads(*set, *schedule, {}, {});
  if (!loads) return Unexpected(loads.error());
  capture::Recorder recorder(std::nullopt, plan.most_samples);
  capture::Capture capture(experiment::sensors_of(*set), *set->clock, recorder);
  LongCapture run;
  run.window.begin = set->clock->now() + 2s;
  run.window.end = run.window.begin + plan.length;
  if (const auto played = loads->all[0]->play(*schedule, run.window.begin + 20ms, {}); !played) {
    return Unexpected(played.error());
  }
  capture.attend(run.window.begin - 2s, run.window.begin + 900ms);
  capture.start();
  capture.attend(run.window.end, run.window.end + 2s);
  capture.run_until(run.window.end + 12s);
  capture.stop();
  run.recording = recorder.recordings()[0];
  run.recording.windows = {run.window};
  run.truth_j = set->devices[0].simulated->true_energy(
      seconds_between(set->origin, run.window.begin), seconds_between(set->origin, run.window.end));
  return run;
}

}  // namespace truewatt::measure
