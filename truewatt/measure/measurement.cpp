#include "truewatt/measure/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/command.hpp"
#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/energy/estimate/window_results.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/measure/estimate_figures.hpp"
#include "truewatt/measure/host_capture.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::measure {
namespace {

using namespace std::chrono_literals;

/// Before it so many update periods, at least.
constexpr double kIdlePeriods = 10.0;
/// Before that, what ran earlier is forgotten: so long, at least, for devices may have averages
/// over a second that nobody characterized, and by a lag in so many time constants.
constexpr Seconds kUsualMemory{1.0};
constexpr double kForgotten = 5.0;
/// Before a command's simulated load.
constexpr Nanoseconds kIdleBeforeCommand = 22ms;
/// Points of a drawn curve of true power.
constexpr int kCurvePoints = 1200;
/// A command shorter than this has not outlived an update period, known or not.
constexpr Seconds kShortCommand{0.1};

/// What decides how much idle stands before a load.
struct Slowness {
  bool known = true;              ///< somebody characterized all sources of all devices
  Seconds period{0};              ///< longest update period
  Seconds memory = kUsualMemory;  ///< how long readings show what ran: delay, window and lag
};

Slowness slowness_of(const devices::DeviceSet& set) {
  Slowness slow;
  for (const devices::Device& device : set.devices) {
    if (!device.known.profile) {
      slow.known = false;
      continue;
    }
    for (const SourceProfile& source : device.known.profile->sources) {
      if (source.source.scope != Scope::gpu) continue;
      if (!source.fitted) {
        slow.known = false;
        continue;
      }
      const FittedModel& model = *source.fitted;
      const double memory = model.age_s.value + model.averaging_window_s.value / 2 +
                            (kForgotten - 1) * model.time_constant_s.value;
      slow.memory = std::max(slow.memory, Seconds(memory));
      if (source.update_period_s) {
        slow.period = std::max(slow.period, Seconds(source.update_period_s->value));
      }
    }
  }
  return slow;
}

/// Seen from now: idle that tells its level, after what ran earlier is forgotten.
Nanoseconds idle_before_load(const devices::DeviceSet& set) {
  const Slowness slow = slowness_of(set);
  Seconds forgetting = slow.memory;
  if (slow.known && set.idle_since) forgetting -= Seconds(set.clock->now() - *set.idle_since);
  const Seconds idle = std::max(Seconds(kRecordedIdle), kIdlePeriods * slow.period);
  return to_nanoseconds(idle + std::max(forgetting, Seconds(0)));
}

/// Progress of a load that began `since` ago; before its begin that is negative.
void say_how_far(const MeasureOptions& options, const load::Schedule& schedule, Seconds since) {
  if (since < Seconds(0)) {
    experiment::say(options.progress, 0.0, "recording idle before the load");
    return;
  }
  const double share = std::min(since / schedule.duration, 1.0);
  experiment::say(options.progress, share,
                  fmt::format("{}: {:.1f} of {:.1f} s", schedule.spec,
                              share * schedule.duration.count(), schedule.duration.count()));
}

/// True power of a simulated device over [begin, end]: evenly spaced points, and both sides of
/// every edge.
std::vector<store::CurvePoint> true_curve(const devices::DeviceSet& set,
                                          const devices::Device& device, HostTime begin,
                                          HostTime end) {
  if (!device.simulated) return {};
  const double from = seconds_between(set.origin, begin);
  const double to = seconds_between(set.origin, end);
  std::vector<double> times;
  for (int i = 0; i <= kCurvePoints; ++i) times.push_back(from + (to - from) * i / kCurvePoints);
  for (const double edge : device.simulated->edges(from, to)) {
    times.push_back(edge - 1e-6);
    times.push_back(edge + 1e-6);
  }
  std::sort(times.begin(), times.end());
  std::vector<store::CurvePoint> curve;
  curve.reserve(times.size());
  for (const double time : times) {
    curve.push_back(
        {set.origin + to_nanoseconds(Seconds(time)), Watts(device.simulated->true_power(time))});
  }
  return curve;
}

energy::EnergyEstimate estimate_window(const devices::DeviceSet& set, const devices::Device& device,
                                       const energy::EnergyEstimator& estimator,
                                       const Window& window) {
  energy::EnergyEstimate estimate = estimator.estimate(window);
  if (device.simulated) {
    estimate.truth = Joules(device.simulated->true_energy(seconds_between(set.origin, window.begin),
                                                          seconds_between(set.origin, window.end)));
  }
  return estimate;
}

/// From the first device's begin to the last one's end.
Window all_of(const std::vector<std::vector<Window>>& windows) {
  Window all = windows.front().front();
  for (const std::vector<Window>& of_device : windows) {
    for (const Window& window : of_device) {
      all.begin = std::min(all.begin, window.begin);
      all.end = std::max(all.end, window.end);
    }
  }
  return all;
}

/// The node's energy, and why it has none where nothing of the host was found.
void conclude_node(devices::DeviceSet& set, capture::Recorder& recorder, Measurement& result,
                   const Window& window, const MeasureOptions& options) {
  EnergyRun& run = result.run;
  run.node = node_of(set, recorder, run.devices, window, options.estimate.resolve);
  // Their recordings stand behind the devices', and nobody knows their truth.
  result.curves.resize(recorder.recordings().size());
  for (const auto& sensor : set.host->sensors) {
    for (const std::string& note : sensor->not_read()) run.notes.push_back(note);
  }
  if (!set.host->sensors.empty()) return;
  run.notes.push_back(fmt::format(
      "no power source of the host was found; looked for {0}/class/powercap/"
      "intel-rapl:*/energy_uj (RAPL) and {0}/class/hwmon/hwmon*/power1_oem_info, also in their "
      "device folders (Grace)",
      set.host->sysfs));
}

/// What the driver did to a device's recording, in words.
void note_trouble(Measurement& result, const Recording& recording) {
  for (const CaptureEvent& event : recording.events) {
    const auto kind = event.kind.known();
    if (kind == EventKind::driver_hangs || kind == EventKind::driver_slow ||
        kind == EventKind::answers_refused || kind == EventKind::gpu_lost) {
      result.run.notes.push_back("warning: " + event.message);
    }
    if (kind == EventKind::driver_hangs) result.hangs.push_back(event.message);
  }
}

/// What was recorded of a device, and how its windows are looked at.
struct Recorded {
  const Recording& recording;
  const std::vector<Window>& windows;
  energy::Knowledge knowledge;
  const MeasureOptions& options;
};

/// Adds the windows of the run's last device, where they lie in its recording, and their labels.
void add_windows(EnergyRun& run, int device, const energy::EnergyEstimator& estimator,
                 const Recorded& of) {
  const HostTime first = first_reading(of.recording).value_or(of.windows.front().begin);
  std::vector<std::map<std::string, energy::EnergyInterval>> alone(of.windows.size());
  if (of.options.all_windows) {
    alone = energy::energies_by_source(of.recording, of.knowledge, of.options.estimate, of.windows);
  }
  const auto estimates = run.devices.end() - static_cast<std::ptrdiff_t>(of.windows.size());
  std::vector<energy::WindowResult> results;
  for (std::size_t i = 0; i < of.windows.size(); ++i) {
    results.push_back({.device = device,
                       .label = of.windows[i].label,
                       .begin_s = seconds_between(first, of.windows[i].begin),
                       .end_s = seconds_between(first, of.windows[i].end),
                       .estimate = *(estimates + static_cast<std::ptrdiff_t>(i)),
                       .per_source = std::move(alone[i])});
  }
  if (of.options.all_windows) {
    for (energy::LabelResult& label : energy::labels_of(of.windows, results, estimator)) {
      label.device = device;
      run.labels.push_back(std::move(label));
    }
  }
  std::move(results.begin(), results.end(), std::back_inserter(run.windows));
}

/// Estimates every window's energy once recording has ended, and closes the run file. `windows` has
/// one list per device.
Measurement conclude(devices::DeviceSet& set, capture::Recorder& recorder,
                     const std::vector<std::vector<Window>>& windows,
                     const MeasureOptions& options) {
  Measurement result;
  result.run.tool_version = TRUEWATT_VERSION;
  result.run.notes = set.notes;
  for (std::size_t i = 0; i < set.devices.size(); ++i) {
    const int index = static_cast<int>(i);
    for (const Window& window : windows[i]) recorder.add_window(index, window);
    const Recording& recording = recorder.recordings()[i];
    note_trouble(result, recording);
    std::vector<EstimatedWindow> estimated;
    const energy::EnergyEstimator estimator(recording, set.devices[i].knowledge(), options.estimate,
                                            windows[i]);
    for (const Window& window : windows[i]) {
      result.run.devices.push_back(estimate_window(set, set.devices[i], estimator, window));
      estimated.push_back({window, result.run.devices.back().method});
      recorder.add_estimate(index, result.run.devices.back());
    }
    add_windows(result.run, index, estimator,
                {.recording = recording,
                 .windows = windows[i],
                 .knowledge = set.devices[i].knowledge(),
                 .options = options});
    if (options.figures) {
      result.figures.push_back(
          estimate_figures(recording, estimator, estimated, set.devices[i].knowledge()));
    }
    const HostTime from =
        recording.traces.empty() ? windows[i].front().begin : recording.traces[0].begin;
    result.curves.push_back(true_curve(set, set.devices[i], from, set.clock->now()));
    recorder.add_curve(index, result.curves.back());
  }
  if (set.host) conclude_node(set, recorder, result, all_of(windows), options);
  recorder.finish();
  result.recordings = recorder.recordings();
  result.file_error = recorder.write_error();
  result.run.total = energy::total_of(result.run.devices);
  const Nanoseconds ago = set.clock->now() - windows.front().front().begin;
  result.run.start = set.clock->realtime_now() - ago;
  return result;
}

void mark_interrupted(EnergyRun& run) {
  const auto mark = [](energy::EnergyEstimate& estimate) {
    estimate.valid = false;
    estimate.resolved = false;
    energy::add_reason(estimate, energy::Reason::interrupted);
  };
  for (energy::EnergyEstimate& estimate : run.devices) mark(estimate);
  for (energy::WindowResult& window : run.windows) mark(window.estimate);
  if (!run.node) return;
  for (energy::NodeSource& source : run.node->sources) mark(source.estimate);
  energy::add_reason(run.node->reasons, energy::Reason::interrupted);
}

/// The windows asked for, or the whole load as one. One that ends with the load ends when its last
/// work did.
std::vector<Window> windows_of(const load::Execution& execution, const load::Schedule& schedule,
                               const std::vector<RelativeWindow>& wanted) {
  if (wanted.empty()) return {{execution.begin, execution.end, "load"}};
  std::vector<Window> windows;
  for (const RelativeWindow& window : wanted) {
    HostTime end = execution.begin + to_nanoseconds(window.end);
    if (window.end >= schedule.duration) end = std::max(end, execution.end);
    windows.push_back({execution.begin + to_nanoseconds(window.begin), end, window.label});
  }
  return windows;
}

/// Of a simulated load that was stopped: it knew all that it would play before time passed.
void cut_off(std::vector<std::vector<Window>>& windows, HostTime now) {
  for (std::vector<Window>& of_device : windows) {
    for (Window& window : of_device) window.end = std::min(window.end, std::max(window.begin, now));
  }
}

/// One recording of the set and of its host.
Result<experiment::Session> open_session(devices::DeviceSet& set, const MeasureOptions& options,
                                         bool on_trial = false) {
  return experiment::Session::open(set,
                                   {.polling = options.polling,
                                    .out = options.out,
                                    .metadata = options.metadata,
                                    .on_trial = on_trial,
                                    .blind = options.blind,
                                    .stop = options.stop},
                                   [&](capture::Capture& capture) { capture_host(set, capture); });
}

}  // namespace

Result<Measurement> measure(devices::DeviceSet& set, const load::Schedule& schedule,
                            const devices::Environment& environment,
                            const MeasureOptions& options) {
  auto loads = experiment::prepare_loads(set, schedule, environment, options.progress);
  if (!loads) return Unexpected(loads.error());
  return measure(set, *loads, schedule, options);
}

Result<Measurement> measure(devices::DeviceSet& set, experiment::PreparedLoads& loads,
                            const load::Schedule& schedule, const MeasureOptions& options) {
  for (load::Load* load : loads.all) {
    if (const auto ready = load->prepare(schedule); !ready) return Unexpected(ready.error());
  }
  auto session = open_session(set, options);
  if (!session) return Unexpected(session.error());
  // A built-in load is measured for its own sake: no source rests.
  session->start();
  const HostTime begin = set.clock->now() + idle_before_load(set);
  // A real load's play() sleeps until it begins; a virtual one must know before time passes.
  const auto executions = session->play(loads.all, schedule, begin, [&] {
    say_how_far(options, schedule, Seconds(set.clock->now() - begin));
  });
  if (!executions) return Unexpected(executions.error());
  std::vector<std::vector<Window>> windows;
  for (const load::Execution& execution : *executions) {
    windows.push_back(windows_of(execution, schedule, options.windows));
  }
  experiment::say(options.progress, std::nullopt, "recording idle after the load");
  session->settle(*executions, kRecordedIdle);
  if (options.stop.stop_requested()) cut_off(windows, set.clock->now());
  experiment::say(options.progress, 1.0, "estimating");
  Measurement result = conclude(set, session->recorder(), windows, options);
  result.run.load = schedule.spec;
  for (const load::Execution& execution : *executions) {
    for (const std::string& note : execution.notes) result.run.notes.push_back(note);
  }
  result.interrupted = options.stop.stop_requested();
  if (result.interrupted) mark_interrupted(result.run);
  return result;
}

Result<Measurement> run_command(devices::DeviceSet& set, const std::vector<std::string>& argv,
                                const devices::Environment& environment,
                                const CommandOptions& options) {
  Clock& clock = *set.clock;
  auto session = open_session(set, options.measure, true);
  if (!session) return Unexpected(session.error());
  capture::Capture& capture = session->capture();
  capture::Recorder& recorder = session->recorder();
  // Before any thread, so that all of them leave the signals to us.
  std::optional<capture::CommandRunner> own;
  capture::CommandRunner& runner = options.runner != nullptr ? *options.runner : own.emplace();
  if (options.load) {
    auto loads =
        experiment::prepare_loads(set, *options.load, environment, options.measure.progress);
    if (!loads) return Unexpected(loads.error());
    for (load::Load* load : loads->all) {
      const auto played = load->play(*options.load, clock.now() + kIdleBeforeCommand, {});
      if (!played) return Unexpected(played.error());
    }
  }
  std::optional<WorkDone> work_done;
  if (options.work) work_done.emplace(*options.work);
  capture.attend(clock.now(), clock.now() + capture::kAttendAtFirst);
  capture.start();
  const auto exit = runner.run(argv, clock, [&recorder] { recorder.keep_file(); });
  if (!exit) return Unexpected(exit.error());
  if (options.on_end) options.on_end(exit->code);
  // From here on Ctrl-C is for us: the first ends the tail, the second everything.
  const capture::StopOnSignal stop;
  if (exit->end - exit->begin > kShortCommand) {
    experiment::say(options.measure.progress, std::nullopt, "waiting for the sensors' tail");
    capture.attend(exit->end, exit->end + to_nanoseconds(options.tail));
    capture.run_until(exit->end + to_nanoseconds(options.tail), stop.token());
  }
  capture.stop();
  const std::vector<std::vector<Window>> windows(set.devices.size(),
                                                 {{exit->begin, exit->end, "command"}});
  std::optional<Result<energy::Work>> work;
  if (work_done) work = work_done->after();
  if (work && *work) recorder.add_metadata(metadata_of(**work));
  Measurement result = conclude(set, recorder, windows, options.measure);
  if (work && *work) result.run.work = **work;
  if (work && !*work) result.work_error = work->error();
  result.run.command = CommandResult{argv, exit->code};
  result.interrupted = exit->asked_to_end || stop.token().stop_requested();
  return result;
}

}  // namespace truewatt::measure
