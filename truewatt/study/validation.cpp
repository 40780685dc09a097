#include "truewatt/study/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "truewatt/load/program/program_load.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/study/repeated.hpp"
#include "truewatt/study/repetition_design.hpp"
#include "truewatt/study/session.hpp"
#include "truewatt/study/steady_state.hpp"

namespace truewatt::study {
namespace {

/// Work of the one run, at least.
constexpr Seconds kRunWork{1.0};
/// Iterations shorter than this are executed several at a time.
constexpr Seconds kShortestExecution{0.1};
/// The reference of one run: so many, so far apart.
constexpr int kReferenceRuns = 4;
constexpr Seconds kReferenceGap{0.7};
/// That of good practice: one run as long as its trials, of a GPU that is as warm.
constexpr Seconds kLongRun{5.0};
constexpr Seconds kBeforeLongRun{1.0};
/// What is no reference, as by counter and ring that differ, is played again, so often in all.
constexpr int kReferencePlays = 3;

/// A stretch of work, one after the other: one execution.
using Phases = std::vector<std::pair<double, double>>;  // s, level

struct SimulatedWorkload {
  const char* name;
  const char* title;
  Phases phases;
};

/// Lengths and levels are ours.
const std::vector<SimulatedWorkload>& all_simulated() {
  static const std::vector<SimulatedWorkload> all = {
      {"sgemm", "cuBLAS SGEMM", {{0.31, 1.0}, {0.004, 0.0}}},
      {"fft", "cuFFT", {{0.0061, 0.7}, {0.002, 0.2}}},
      {"jpeg", "nvJPEG", {{0.031, 0.45}, {0.052, 0.05}}},
      {"stereo", "Stereo disparity", {{0.0205, 0.6}, {0.012, 0.0}}},
      {"black_scholes", "Black-Scholes", {{0.0016, 0.8}, {0.0004, 0.0}}},
      {"quasirandom", "Quasi-random generator", {{0.0103, 0.5}, {0.001, 0.0}}},
      {"resnet50", "ResNet-50", {{0.025, 0.8}, {0.055, 0.95}, {0.012, 0.4}, {0.015, 0.0}}},
      {"retinanet", "RetinaNet", {{0.12, 0.85}, {0.21, 0.7}, {0.03, 0.3}, {0.07, 0.0}}},
      {"bert", "BERT-base", {{0.09, 0.9}, {0.17, 1.0}, {0.02, 0.5}}}};
  return all;
}

load::Schedule simulated_execution(const std::string& name) {
  load::Schedule once{.spec = name};
  for (const SimulatedWorkload& workload : all_simulated()) {
    if (workload.name != name) continue;
    for (const auto& [length, level] : workload.phases) {
      load::append_step(once.steps, {once.duration, level});
      once.duration += Seconds(length);
    }
  }
  return once;
}

/// Executions back to back.
load::Schedule run_of(const load::Schedule& once, int executions) {
  return trial_schedule(once, {.executions = executions, .group = executions}, executions,
                        Seconds(0));
}

ToldEnergy told_of(const energy::EnergyEstimate& estimate, std::optional<double> error) {
  return {.error = error,
          .half_width = energy::half_width_without_gain(estimate),
          .resolved = estimate.resolved,
          .valid = estimate.valid,
          .reasons = estimate.reasons};
}

/// One workload on one device.
class WorkloadStudy {
 public:
  WorkloadStudy(DeviceSet& set, const Environment& environment, const ValidateOptions& options,
                const store::Workload& workload)
      : set_(set), environment_(environment), options_(options), workload_(workload) {
    result_.name = workload.name;
    result_.title = workload.title;
    result_.paper = workload.paper;
  }

  ValidatedWorkload play() {
    if (auto done = play_all(); !done) result_.failure = done.error().message;
    return std::move(result_);
  }

 private:
  Device& device() { return set_.devices.front(); }
  bool knows_truth() { return device().simulated && !options_.ignore_truth; }

  Result<void> play_all() {
    if (auto ready = prepare(); !ready) return ready;
    const int executions =
        std::max(1, static_cast<int>(std::ceil(kRunWork / once_.duration - 1e-9)));
    const load::Schedule run = run_of(once_, executions);
    result_.run = run.duration;
    if (!knows_truth()) {
      if (auto done = play_references(run, executions); !done) return done;
    }
    if (auto done = play_one_run(run, executions); !done) return done;
    return options_.practice ? play_practice() : Result<void>();
  }

  Result<void> prepare() {
    say_what("starting");
    if (device().simulated) {
      once_ = simulated_execution(workload_.name);
      if (once_.steps.empty()) {
        return Unexpected(Error{Errc::unsupported, "there is no simulated workload of that name"});
      }
      auto loads = prepare_loads(set_, once_, environment_, {});
      if (!loads) return Unexpected(loads.error());
      loads_ = std::move(*loads);
      result_.iteration = once_.duration;
      return {};
    }
    std::vector<std::string> command = workload_.command;
    command.insert(command.end(), {"--device", device().sensor->device().uuid});
    auto program = load::make_program_load(std::move(command), workload_.folder, *set_.clock);
    if (auto ready = program->prepare({.duration = kRunWork}); !ready) return ready;
    result_.iteration = program->iteration();
    const double iterations =
        std::max(1.0, std::ceil(kShortestExecution / program->iteration() - 1e-9));
    once_ = {.steps = {{Seconds(0), 1.0}},
             .duration = iterations * program->iteration(),
             .spec = workload_.name};
    loads_.all = {program.get()};
    loads_.owned.push_back(std::move(program));
    return {};
  }

  /// Where the recording of `what` is kept, if it is.
  std::optional<std::filesystem::path> file_of(std::string_view what) const {
    if (options_.recordings.empty()) return std::nullopt;
    return options_.recordings / fmt::format("{}-{}.db", workload_.name, what);
  }

  Result<Measurement> play(const load::Schedule& schedule, std::string_view what) {
    MeasureOptions options = options_.measure;
    options.blind = false;
    options.figures = false;
    options.windows.clear();
    options.out = file_of(what);
    options.estimate.readers.assign(energy::kReaders.begin(), energy::kReaders.end());
    auto measured = measure(set_, loads_, schedule, options);
    if (measured && measured->interrupted) {
      return Unexpected(Error{Errc::timed_out, "interrupted"});
    }
    return measured;
  }

  /// Until there is a reference.
  Result<void> play_references(const load::Schedule& run, int executions) {
    const HostTime begin = set_.clock->now();
    Result<void> done;
    remove_replays();
    for (int attempt = 1; attempt <= kReferencePlays; ++attempt) {
      result_.reference_plays = attempt;
      done = play_reference(run, executions);
      if (done || done.error().code != Errc::insufficient_data) break;
    }
    result_.reference_took = Seconds(set_.clock->now() - begin);
    if (!done && done.error().code == Errc::insufficient_data) {
      return Unexpected(
          Error{Errc::insufficient_data,
                fmt::format("{}, {} times", done.error().message, result_.reference_plays)});
    }
    return done;
  }

  /// Runs as long as the one run, then one as long as a trial of good practice. insufficient_data
  /// where they are no reference.
  Result<void> play_reference(const load::Schedule& run, int executions) {
    const int number = result_.reference_plays;
    const std::string name = reference_name(number);
    say_what(name);
    const load::Schedule runs = train_of(run, kReferenceRuns, kReferenceGap,
                                         options_.seed + static_cast<unsigned>(number) - 1);
    const int long_executions = std::max(1, static_cast<int>(std::ceil(kLongRun / once_.duration)));
    const load::Schedule both =
        one_after_other(runs, kBeforeLongRun, run_of(once_, long_executions));
    const auto played = play(options_.practice ? both : runs, name);
    if (!played) return Unexpected(played.error());
    const Recording& recording = played->recordings.front();
    Window of_runs = recording.windows.front();
    Window of_long_run;
    if (options_.practice) {
      std::tie(of_runs, of_long_run) = parted(recording, runs.duration + kBeforeLongRun);
    }
    const auto steady =
        steady_state_of(recording, of_runs, kReferenceRuns * executions, device().knowledge());
    if (!steady) return Unexpected(steady.error());
    if (!options_.practice) {
      take(*steady);
      return {};
    }
    const auto warm =
        steady_state_of(recording, of_long_run, long_executions, device().knowledge());
    if (!warm) return Unexpected(warm.error());
    take(*steady);
    steady_of_practice_ = *warm;
    result_.practice_agreement = warm->agreement;
    result_.reference_throttled |= warm->throttled;
    return {};
  }

  void take(const SteadyState& steady) {
    steady_ = steady;
    result_.agreement = steady.agreement;
    result_.reference_throttled = steady.throttled;
  }

  /// Those of an earlier study.
  void remove_replays() const {
    for (int number = 2; number <= kReferencePlays; ++number) {
      std::error_code ignored;
      if (const auto file = file_of(reference_name(number)))
        std::filesystem::remove(*file, ignored);
    }
  }

  static std::string reference_name(int number) {
    return number == 1 ? "reference" : fmt::format("reference-{}", number);
  }

  /// Gross joules of what `estimate` is of, by the reference.
  std::optional<double> reference_of(const energy::EnergyEstimate& estimate,
                                     const std::optional<SteadyState>& steady, int executions) {
    if (knows_truth()) {
      return estimate.truth ? std::optional(estimate.truth->value()) : std::nullopt;
    }
    if (!steady || !estimate.baseline) return std::nullopt;
    return executions * steady->net_j + estimate.baseline->value() * estimate.window.count();
  }

  Result<void> play_one_run(const load::Schedule& run, int executions) {
    const HostTime begin = set_.clock->now();
    say_what("one run");
    const auto measured = play(run, "run");
    result_.one_run_took = Seconds(set_.clock->now() - begin);
    if (!measured) return Unexpected(measured.error());
    const energy::EnergyEstimate& one = measured->run.devices.front();
    result_.run = one.window;
    const auto reference = reference_of(one, steady_, executions);
    if (!reference) return Unexpected(Error{Errc::insufficient_data, "the run has no baseline"});
    result_.reference = Joules(*reference);
    result_.power = Watts(*reference / one.window.count());
    result_.baseline = one.baseline;
    const auto error = [&](double joules) { return joules / *reference - 1; };
    result_.one_run =
        told_of(one, one.energy ? std::optional(error(one.energy->interval.value)) : std::nullopt);
    for (const auto& [source, joules] : one.naive_j) {
      result_.errors["naive " + source] = error(joules);
    }
    for (const energy::ReaderEnergy& reader : one.readers) {
      const auto off = energy::deviation_of(reader, one, *result_.reference);
      if (off && reader.reader != energy::Reader::naive) {
        result_.errors[std::string(to_string(reader.reader))] = *off;
      }
    }
    return {};
  }

  Result<void> play_practice() {
    const HostTime begin = set_.clock->now();
    RepeatOptions repeat{.measure = options_.measure, .good_practice = true, .seed = options_.seed};
    repeat.measure.out = file_of("practice");
    repeat.measure.blind = false;
    repeat.measure.estimate.readers.clear();
    repeat.measure.progress = {};
    say_what("good practice");
    const auto measured = measure_repeatedly(set_, loads_, once_, repeat);
    result_.practice_took = Seconds(set_.clock->now() - begin);
    if (!measured) return Unexpected(measured.error());
    if (measured->interrupted) return Unexpected(Error{Errc::timed_out, "interrupted"});
    const energy::EnergyEstimate& one = measured->run.devices.front();
    const auto reference = reference_of(one, steady_of_practice_, 1);
    if (!reference) return {};
    std::optional<double> error;
    if (knows_truth() && one.energy) error = one.energy->interval.value / *reference - 1;
    // What a program does takes a little more or less time than planned: net energy does not mind.
    if (!knows_truth() && one.net_energy) {
      error = (one.net_energy->interval.value - steady_of_practice_->net_j) / *reference;
    }
    result_.practice = told_of(one, error);
    for (const energy::ReaderEnergy& reader : one.readers) {
      const auto off = energy::deviation_of(reader, one, Joules(*reference));
      if (off) result_.errors[std::string(to_string(reader.reader))] = *off;
    }
    return {};
  }

  void say_what(std::string_view what) const {
    say(options_.measure.progress, std::nullopt, fmt::format("{}: {}", workload_.name, what));
  }

  DeviceSet& set_;
  const Environment& environment_;
  const ValidateOptions& options_;
  const store::Workload& workload_;
  ValidatedWorkload result_;
  PreparedLoads loads_;
  load::Schedule once_;
  std::optional<SteadyState> steady_;              ///< of runs as long as the one
  std::optional<SteadyState> steady_of_practice_;  ///< ... as a trial of good practice
};

ErrorSummary summary_of(const std::string& name, const std::vector<double>& errors) {
  ErrorSummary summary{.name = name, .count = static_cast<int>(errors.size())};
  double squares = 0.0;
  for (const double error : errors) {
    summary.mean_absolute += std::abs(error) / static_cast<double>(errors.size());
    squares += error * error;
    summary.largest = std::max(summary.largest, std::abs(error));
  }
  summary.rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, errors.size())));
  return summary;
}

std::vector<ErrorSummary> summaries_of(const std::vector<ValidatedWorkload>& workloads) {
  std::map<std::string, std::vector<double>> errors;
  for (const ValidatedWorkload& workload : workloads) {
    for (const auto& [name, error] : workload.errors) errors[name].push_back(error);
    const auto add = [&](const char* name, const ToldEnergy& told) {
      if (told.error && told.resolved) errors[name].push_back(*told.error);
    };
    add("truewatt, one run", workload.one_run);
    add("truewatt, good practice", workload.practice);
  }
  std::vector<ErrorSummary> summaries;
  for (const auto& [name, all] : errors) summaries.push_back(summary_of(name, all));
  return summaries;
}

}  // namespace

std::vector<store::Workload> simulated_workloads() {
  std::vector<store::Workload> workloads;
  for (const SimulatedWorkload& one : all_simulated()) {
    workloads.push_back({.name = one.name, .title = one.title, .paper = "000"});
  }
  return workloads;
}

Result<Validation> validate_workloads(DeviceSet& set, const std::vector<store::Workload>& workloads,
                                      const Environment& environment,
                                      const ValidateOptions& options) {
  if (set.devices.size() != 1) {
    return Unexpected(
        Error{Errc::invalid_argument, "validate takes one device; name it with --device"});
  }
  Validation validation{.tool_version = TRUEWATT_VERSION,
                        .device = set.devices.front().sensor->device(),
                        .truth_known = set.simulated() && !options.ignore_truth,
                        .notes = set.notes};
  for (const store::Workload& workload : workloads) {
    if (options.measure.stop.stop_requested()) {
      validation.notes.push_back("interrupted before " + workload.name);
      break;
    }
    validation.workloads.push_back(WorkloadStudy(set, environment, options, workload).play());
  }
  validation.summaries = summaries_of(validation.workloads);
  return validation;
}

}  // namespace truewatt::study
