#include "truewatt/replication/yang/yang_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/base/idle_margin.hpp"
#include "truewatt/calibrate/calibrate_live.hpp"
#include "truewatt/capture/recorder.hpp"
#include "truewatt/characterize/circumstances.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/identification/profile/conclusions.hpp"
#include "truewatt/replication/yang/yang_update.hpp"
#include "truewatt/simgpu/random.hpp"

namespace truewatt::replication {
namespace {

constexpr Seconds kWavePause{1.0};  // before each load, and up to a second more before each wave
constexpr Seconds kMoreWavePause{1.0};
constexpr int kWaveLevels = 6;
constexpr Seconds kStep{11.5};  // 6 s high, 5 to 6 s low
constexpr Seconds kWave{yang::kRunLength + 1.5};
constexpr int kPeriods = 7;  // six ratios, and the update period itself
constexpr Seconds kUpdateWave{yang::kUpdateWavePeriod * yang::kUpdateWaveCycles};
constexpr int kWindowsPerStep = 4;  // the paper's 32 repetitions to 8
constexpr int kMostRepetitions = 64;
constexpr std::uint64_t kWavePauses = 0x79616e67;  // stream of random numbers

load::Schedule square_wave(double period, double length) {
  load::Schedule schedule{.duration = Seconds(length),
                          .spec = fmt::format("square wave of {:g} ms", 1e3 * period)};
  const int cycles = std::max(1, static_cast<int>(std::floor(length / period + 1e-9)));
  for (int i = 0; i < cycles; ++i) {
    schedule.steps.push_back({Seconds(i * period), 1.0});
    schedule.steps.push_back({Seconds((i + 0.5) * period), 0.0});
  }
  schedule.duration = Seconds((cycles - 0.5) * period);
  schedule.steps.pop_back();  // the end says so
  return schedule;
}

/// The artifact's loads have whole milliseconds; below two of them nothing is cut.
double whole_milliseconds(double period) {
  return period < 2e-3 ? period : std::floor(1e3 * period + 1e-6) / 1e3;
}

/// The source whose update period the waves are made for.
const YangSource* leading(const std::vector<YangSource>& sources) {
  for (const SourceKind kind : kKindsAsBelieved) {
    if (!row_of(kind).read_by_pollers) continue;
    for (const YangSource& source : sources) {
      if (source.window_wanted && source.profile.source == SourceId{kind, Scope::gpu}) {
        return &source;
      }
    }
  }
  return nullptr;
}

/// Plays the experiments one after the other and keeps when they worked.
class Protocol {
 public:
  Protocol(load::Load& load, experiment::Session& session, const YangOptions& options)
      : load_(load),
        session_(session),
        clock_(session.clock()),
        options_(options),
        began_(clock_.now()) {
    loads_.origin = began_;
  }

  Result<void> run() {
    if (auto played = warm_up(); !played) return played;
    if (auto played = play_update_wave(); !played) return played;
    if (auto played = play_steps(); !played) return played;
    const std::vector<YangSource> so_far = judge(session_.capture().so_far().front());
    const YangSource* source = leading(so_far);
    if (source) {
      if (auto played = play_waves(source->profile.update_period_s->value); !played) return played;
    }
    session_.record_until(clock_.now() + kRecordedIdle);
    return {};
  }

  std::vector<YangSource> judge(const Recording& recording) const {
    std::vector<YangSource> sources;
    for (const Trace& trace : recording.traces) sources.push_back(yang_source(trace, loads_));
    return sources;
  }

  HostTime began() const { return began_; }
  const YangLoads& loads() const { return loads_; }
  const std::vector<ActivityInterval>& activity() const { return activity_; }

 private:
  using Activity = std::vector<ActivityInterval>;

  Result<Activity> play(const load::Schedule& schedule, Seconds pause) {
    if (options_.stop.stop_requested()) return Activity{};
    auto executions = session_.play_out({{&load_, &schedule}}, clock_.now() + to_nanoseconds(pause),
                                        [this] { say_how_far(); });
    if (!executions) return Unexpected(executions.error());
    load::Execution& execution = executions->front();
    activity_.insert(activity_.end(), execution.activity.begin(), execution.activity.end());
    say_how_far();
    return std::move(execution.activity);
  }

  /// The activity's stretches of one kind.
  std::vector<identification::Work> work_of(const Activity& activity, const WorkKind& kind) const {
    Recording recording;
    recording.activity = activity;
    return identification::work_of(recording, loads_.origin, kind);
  }

  Result<void> warm_up() {
    experiment::say(
        options_.progress, 0.0,
        fmt::format("the protocol takes {:.0f} minutes", options_.plan.duration().count() / 60));
    load::Schedule schedule{
        .steps = {{Seconds(0), 1.0}}, .duration = options_.plan.warm_up, .spec = "warm-up"};
    const auto activity = play(schedule, kWavePause + kWavePause);
    return activity ? Result<void>() : Unexpected(activity.error());
  }

  Result<void> play_update_wave() {
    const auto activity =
        play(square_wave(yang::kUpdateWavePeriod, kUpdateWave.count()), kWavePause);
    if (!activity) return Unexpected(activity.error());
    if (activity->empty()) return {};
    loads_.update_wave = {seconds_between(loads_.origin, activity->front().begin),
                          seconds_between(loads_.origin, activity->back().end)};
    return {};
  }

  Result<void> play_steps() {
    const auto activity = play(
        calibrate::calibration_schedule(options_.plan.step_repetitions, options_.seed), kWavePause);
    if (!activity) return Unexpected(activity.error());
    // As played: from the highest level down.
    std::vector<WorkKind> levels;
    for (const ActivityInterval& interval : *activity) {
      if (std::find(levels.begin(), levels.end(), interval.kind) != levels.end()) continue;
      levels.push_back(interval.kind);
      loads_.steps.push_back(work_of(*activity, interval.kind));
    }
    session_.record_until(clock_.now() + to_nanoseconds(kStep / 2));
    return {};
  }

  Result<void> play_wave(double period, std::vector<YangLoads::Wave>& waves) {
    const Seconds more =
        kMoreWavePause * simgpu::random_uniform(options_.seed, kWavePauses, waves_++);
    const auto activity = play(square_wave(period, yang::kRunLength), kWavePause + more);
    if (!activity) return Unexpected(activity.error());
    if (activity->empty()) return {};
    waves.push_back({period, work_of(*activity, activity->front().kind)});
    return {};
  }

  Result<void> play_waves(double update_period) {
    for (int i = 0; i < options_.plan.window_repetitions; ++i) {
      for (const double ratio : yang::kPeriodRatios) {
        const double period = whole_milliseconds(ratio * update_period);
        if (auto played = play_wave(period, loads_.waves); !played) return played;
      }
      if (auto played = play_wave(update_period, loads_.update_period_waves); !played) {
        return played;
      }
    }
    return {};
  }

  void say_how_far() const {
    const Seconds spent(clock_.now() - began_);
    const Seconds all = options_.plan.duration();
    experiment::say(options_.progress, std::min(spent / all, 1.0),
                    fmt::format("{:.0f} of at most {:.0f} s", spent.count(), all.count()));
  }

  load::Load& load_;
  experiment::Session& session_;
  Clock& clock_;
  const YangOptions& options_;
  HostTime began_;
  YangLoads loads_;
  Activity activity_;
  std::uint64_t waves_ = 0;
};

}  // namespace

Seconds YangPlan::duration() const {
  return warm_up + kUpdateWave + kStep * (kWaveLevels * step_repetitions) +
         kWave * (kPeriods * window_repetitions) + 6 * kWavePause;
}

YangPlan plan_with(int repetitions) {
  YangPlan plan;
  plan.step_repetitions = plan.window_repetitions = std::clamp(repetitions, 1, kMostRepetitions);
  return plan;
}

Result<YangPlan> plan_within(Seconds budget) {
  const YangPlan whole;
  YangPlan plan;
  for (int windows = whole.window_repetitions; windows >= 1; --windows) {
    plan.window_repetitions = windows;
    plan.step_repetitions = (windows + kWindowsPerStep - 1) / kWindowsPerStep;
    plan.warm_up = whole.warm_up * (static_cast<double>(windows) / whole.window_repetitions);
    if (plan.duration() <= budget) return plan;
  }
  return Unexpected(
      Errc::invalid_argument,
      fmt::format("the protocol needs {:.0f} s for one repetition of everything and {:.0f} s "
                  "whole; give a longer --budget",
                  std::ceil(plan.duration().count()), std::ceil(whole.duration().count())));
}

Result<YangRun> run_yang_protocol(devices::DeviceSet& set, const devices::Environment& environment,
                                  const YangOptions& options) {
  auto loads = experiment::prepare_loads(set, square_wave(yang::kUpdateWavePeriod, 1.0),
                                         environment, options.progress);
  if (!loads) return Unexpected(loads.error());
  Clock& clock = *set.clock;
  auto session = experiment::Session::open(set, {.polling = options.polling,
                                                 .out = options.out,
                                                 .metadata = options.metadata,
                                                 .stop = options.stop});
  if (!session) return Unexpected(session.error());
  capture::Recorder& recorder = session->recorder();
  session->start();
  Protocol protocol(*loads->all.front(), *session, options);
  const auto ran = protocol.run();
  session->stop();
  recorder.add_activity(0, protocol.activity());
  characterize::record_circumstances(*set.devices.front().sensor, *loads->all.front(),
                                     protocol.began(), recorder);
  recorder.finish();
  if (!ran) return Unexpected(ran.error());

  YangRun result;
  result.recording = recorder.recordings().front();
  result.file_error = recorder.write_error();
  result.loads = protocol.loads();
  result.sources = protocol.judge(result.recording);
  result.profile.device = result.recording.device;
  result.profile.created = format_utc(clock.realtime_now());
  result.profile.duration_s = Seconds(clock.now() - protocol.began()).count();
  result.profile.protocol = PublishedProtocol::yang;
  for (const YangSource& source : result.sources) {
    result.profile.sources.push_back(source.profile);
    if (options.stop.stop_requested()) {
      result.profile.sources.back().reasons.emplace_back(ProfileReason::interrupted);
    }
  }
  identification::judge_conditions(result.profile, result.recording);
  identification::add_refused(result.profile, result.recording);
  return result;
}

}  // namespace truewatt::replication
