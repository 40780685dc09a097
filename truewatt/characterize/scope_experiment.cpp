#include "truewatt/characterize/scope_experiment.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/characterize/schedules.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/load/schedule_steps.hpp"

namespace truewatt::characterize {
namespace {

using namespace std::chrono_literals;

constexpr double kShortestStretch = 0.8;  // s, of one stretch of work
constexpr double kLongestStretch = 1.2;
constexpr double kShortestRest = 0.3;
constexpr double kLongestRest = 0.6;
constexpr int kRepetitions = 2;
/// Idle between the comparison and the CPU work that follows.
constexpr Nanoseconds kBetweenStretches = 300ms;
/// Stretches of random CPU work. Shorter ones would be blurred by threads that wake late.
constexpr RandomWork kCpuWork{.shortest_s = 0.004, .longest_s = 0.06, .long_share = 0.12};

enum class WorkKind { cpu, gpu, both };

std::vector<WorkKind> random_order(std::mt19937_64& rng) {
  std::vector<WorkKind> kinds;
  for (int i = 0; i < kRepetitions; ++i) {
    for (const WorkKind kind : {WorkKind::cpu, WorkKind::gpu, WorkKind::both})
      kinds.push_back(kind);
  }
  for (std::size_t i = kinds.size() - 1; i > 0; --i) {
    std::swap(kinds[i],
              kinds[static_cast<std::size_t>(uniform(rng, 0.0, 1.0) * static_cast<double>(i + 1))]);
  }
  return kinds;
}

void append(std::vector<ActivityInterval>& all, const load::Execution& execution) {
  all.insert(all.end(), execution.activity.begin(), execution.activity.end());
}

}  // namespace

ScopeSchedules scope_schedules(std::mt19937_64& rng) {
  ScopeSchedules schedules{.cpu = {.spec = "CPU work"}, .gpu = {.spec = "GPU work"}};
  double at = uniform(rng, kShortestRest, kLongestRest);
  const auto levels = [&](double cpu, double gpu) {
    load::append_step(schedules.cpu.steps, {Seconds(at), cpu});
    load::append_step(schedules.gpu.steps, {Seconds(at), gpu});
  };
  schedules.cpu.steps = schedules.gpu.steps = {{Seconds(0), 0.0}};
  for (const WorkKind kind : random_order(rng)) {
    levels(kind == WorkKind::gpu ? 0.0 : 1.0, kind == WorkKind::cpu ? 0.0 : 1.0);
    at += uniform(rng, kShortestStretch, kLongestStretch);
    levels(0.0, 0.0);
    at += uniform(rng, kShortestRest, kLongestRest);
  }
  schedules.cpu.duration = schedules.gpu.duration = Seconds(at);
  return schedules;
}

bool covers(const devices::DeviceSet& set, Scope scope) {
  const auto sources = sensor::answering_sources(*set.devices.front().sensor);
  return std::any_of(sources.begin(), sources.end(),
                     [scope](SourceId source) { return source.scope == scope; });
}

bool is_superchip(const devices::DeviceSet& set) {
  return covers(set, Scope::module) || covers(set, Scope::cpu);
}

Result<identification::ScopeExperiment> play_scope_experiment(devices::DeviceSet& set,
                                                              load::Load& gpu,
                                                              experiment::Session& session,
                                                              const ScopeOptions& options) {
  std::mt19937_64 rng(options.seed);
  Clock& clock = *set.clock;
  const ScopeSchedules schedules = scope_schedules(rng);
  auto cpu = devices::make_cpu_load(set, set.devices.front());
  if (!cpu) return Unexpected(cpu.error());
  if (auto prepared = (*cpu)->prepare(schedules.cpu); !prepared) {
    return Unexpected(prepared.error());
  }
  experiment::say(options.progress, std::nullopt, "comparing CPU and GPU work");
  identification::ScopeExperiment experiment;
  experiment.begin = clock.now() + kRecordedIdle;
  session.record_until(experiment.begin - kBetweenStretches);
  auto compared =
      session.play_out({{cpu->get(), &schedules.cpu}, {&gpu, &schedules.gpu}}, experiment.begin);
  if (!compared) return Unexpected(compared.error());
  append(experiment.cpu, compared->at(0));
  append(experiment.gpu, compared->at(1));
  experiment.notes = compared->at(0).notes;
  experiment.end = experiment.cpu_end = clock.now();
  if (options.cpu_time.count() <= 0 || options.stop.stop_requested()) return experiment;

  experiment::say(options.progress, std::nullopt, "random CPU work");
  const auto random = random_schedule(kCpuWork, options.cpu_time, 0, rng);
  auto worked = session.play_out({{cpu->get(), &random}}, clock.now() + kBetweenStretches);
  if (!worked) return Unexpected(worked.error());
  append(experiment.cpu, worked->at(0));
  session.record_until(clock.now() + kRecordedIdle);
  experiment.cpu_end = clock.now();
  return experiment;
}

}  // namespace truewatt::characterize
