#include "truewatt/testing/window_runs.hpp"

#include <cmath>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/identification/profile/source_fit.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/simgpu/random.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"
#include "truewatt/trace/formats/rows/held_trace.hpp"

namespace truewatt::replication {
namespace {

using identification::Work;
constexpr double kIdleBeforeRuns = 2.0;  // s
constexpr double kRunPause = 2.0;
constexpr double kPollTail = 1.3e-3;  // s; mean of what a poll takes longer than the shortest
constexpr SourceId kSource{SourceKind::power_instant, Scope::gpu};
constexpr double kIdle = kIdleMargin.count();  // s on both sides of a run
constexpr std::uint64_t kRunPauses = 1;
constexpr std::uint64_t kPolls = 2;
const WorkKind kFull{.level = 1.0};

HostTime time_of(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }

/// Stretches of work of a run that begins at `begin`: as many whole cycles as fit into 8 s.
std::vector<Work> wave_from(double begin, double half_period) {
  const int cycles = static_cast<int>(yang::kRunLength / (2 * half_period));
  std::vector<Work> wave;
  for (int i = 0; i < cycles; ++i) {
    const double from = begin + 2 * i * half_period;
    wave.push_back({from, from + half_period});
  }
  return wave;
}

simgpu::Play play_of(const std::vector<Work>& wave) {
  simgpu::Play play{.end = wave.back().end};
  for (std::size_t i = 0; i < wave.size(); ++i) {
    play.steps.push_back({wave[i].begin, 1.0});
    if (i + 1 < wave.size()) play.steps.push_back({wave[i].end, 0.0});
  }
  return play;
}

Trace polled(simgpu::SimulatedGpu& gpu, double until, double poll_s, std::uint64_t seed) {
  trace::HeldTraceBuilder builder(kSource);
  double time = 0.0;
  for (std::uint64_t i = 0; time < until; ++i) {
    const double stamp = std::floor(1e3 * time) / 1e3;
    builder.show(time_of(stamp), std::nullopt, gpu.read(kSource, time)->value);
    time += poll_s - kPollTail * std::log(simgpu::random_uniform(seed, kPolls, i));
  }
  return std::move(builder).finish();
}

std::vector<ActivityInterval> activity_of(const std::vector<Work>& wave) {
  std::vector<ActivityInterval> activity;
  for (const Work& work : wave) {
    activity.push_back({time_of(work.begin), time_of(work.end), kFull});
  }
  return activity;
}

}  // namespace

WindowSession window_session(std::string_view device, std::span<const double> half_periods_ms,
                             double poll_ms, std::uint64_t seed) {
  simgpu::SimulatedGpu gpu(builtin_device(device).value(), seed);
  WindowSession session{.origin = time_of(0.0)};
  double begin = kIdleBeforeRuns;
  for (const double half_period : half_periods_ms) {
    begin += simgpu::random_uniform(seed, kRunPauses, session.waves.size());
    session.waves.push_back(wave_from(begin, 1e-3 * half_period));
    gpu.play(play_of(session.waves.back()));
    const auto activity = activity_of(session.waves.back());
    session.recording.activity.insert(session.recording.activity.end(), activity.begin(),
                                      activity.end());
    begin = session.waves.back().back().end + kRunPause;
  }
  session.recording.traces.push_back(polled(gpu, begin, 1e-3 * poll_ms, seed));
  return session;
}

Recording single_run(const WindowSession& session, std::size_t run) {
  const std::vector<Work>& wave = session.waves[run];
  const HostTime from = time_of(wave.front().begin - kIdle);
  const HostTime until = time_of(wave.back().end + kIdle);
  Recording recording{.activity = activity_of(wave)};
  const Trace& whole = session.recording.traces.front();
  Trace trace{.source = whole.source, .begin = from, .end = until};
  for (const Sample& sample : whole.samples) {
    if (sample.before >= from && sample.seen <= until) trace.samples.push_back(sample);
  }
  recording.traces.push_back(std::move(trace));
  return recording;
}

std::optional<yang::WindowFit> yang_fit(const WindowSession& session, std::size_t run,
                                        double update_period, FittedPart part) {
  const std::vector<Work>& wave = session.waves[run];
  // The artifact's record begins a second before the load and lasts ten.
  const double begin = wave.front().begin;
  const double from = part == FittedPart::text ? begin + yang::kDiscarded : begin - 1.0 + 4.0;
  const double until = part == FittedPart::text ? wave.back().end : begin - 1.0 + 5.0;
  std::vector<ticks::Tick> readings;
  for (const Sample& sample : session.recording.traces.front().samples) {
    const double time = seconds_between(session.origin, sample.seen);
    if (time >= from && time <= until) readings.push_back({time, 0.0, sample.value});
  }
  return yang::fit_window({readings, wave}, update_period);
}

std::optional<double> equivalent_window(const Recording& recording) {
  const Trace& trace = recording.traces.front();
  const auto period = ticks::update_period(ticks::publications(trace, trace.begin));
  const auto fit = identification::fit_source(trace, recording, std::nullopt, period).fit;
  if (!fit || !fit->averaging_window_s || !fit->time_constant_s) return std::nullopt;
  return truewatt::equivalent_window(*fit->averaging_window_s, *fit->time_constant_s).value;
}

}  // namespace truewatt::replication
