#include "truewatt/validate/workload_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include "truewatt/calibrate/metered_play.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/load/program/program_load.hpp"
#include "truewatt/measure/practice_reading.hpp"
#include "truewatt/measure/repeated.hpp"
#include "truewatt/measure/repetition_design.hpp"
#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/validate/simulated_workloads.hpp"
#include "truewatt/validate/steady_state.hpp"

namespace truewatt::validate {
namespace {

/// Iterations shorter than this are executed several at a time.
constexpr Seconds kShortestExecution{0.1};
/// The reference of one run: so many, so far apart.
constexpr int kReferenceRuns = 4;
constexpr Seconds kReferenceGap{3.0};
/// That of good practice is one run as long as its trials, of a GPU that is as warm, so much later.
constexpr Seconds kBeforeLongRun{1.0};
/// What is no reference, as by counter and ring that differ, is played again, so often in all.
constexpr int kReferencePlays = 3;

/// Executions back to back.
load::Schedule run_of(const load::Schedule& once, int executions) {
  return measure::trial_schedule(once, {.executions = executions, .group = executions}, executions,
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
  WorkloadStudy(devices::DeviceSet& set, const devices::Environment& environment,
                const ValidateOptions& options, const store::Workload& workload,
                std::vector<std::string>& notes)
      : set_(set),
        environment_(environment),
        options_(options),
        workload_(workload),
        notes_(notes) {
    result_.name = workload.name;
    result_.title = workload.title;
    result_.paper = workload.paper;
  }

  ValidatedWorkload play() {
    if (auto done = play_all(); !done) result_.failure = done.error().message;
    return std::move(result_);
  }

 private:
  devices::Device& device() { return set_.devices.front(); }
  Reference reference() const { return reference_for(set_, options_); }

  Result<void> play_all() {
    if (auto ready = prepare(); !ready) return ready;
    const int executions =
        std::max(1, static_cast<int>(std::ceil(options_.run_work / once_.duration - 1e-9)));
    const load::Schedule run = run_of(once_, executions);
    result_.run = run.duration;
    // The one run first: what was played for long has warmed the board.
    const auto one = play_one_run(run);
    if (!one) return Unexpected(one.error());
    if (reference() == Reference::steady_state) {
      if (auto done = play_references(run, executions); !done) return done;
    }
    if (auto done = judge_one_run(*one, executions); !done) return done;
    return options_.practice ? play_practice() : Result<void>();
  }

  Result<void> prepare() {
    say_what("starting");
    if (device().simulated) {
      once_ = simulated_execution(workload_.name);
      if (once_.steps.empty()) {
        return Unexpected(Error{Errc::unsupported, "there is no simulated workload of that name"});
      }
      auto loads = experiment::prepare_loads(set_, once_, environment_, {});
      if (!loads) return Unexpected(loads.error());
      loads_ = std::move(*loads);
      result_.iteration = once_.duration;
      return {};
    }
    std::vector<std::string> command = workload_.command;
    command.insert(command.end(), {"--device", device().sensor->device().uuid});
    auto program = load::make_program_load(std::move(command), workload_.folder, *set_.clock);
    if (auto ready = program->prepare({.duration = options_.run_work}); !ready) return ready;
    set_.idle_since.reset();
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

  Result<measure::Measurement> play(const load::Schedule& schedule, std::string_view what) {
    measure::MeasureOptions options = options_.measure;
    options.blind = false;
    options.figures = false;
    options.windows.clear();
    options.out = file_of(what);
    options.estimate.readers.assign(energy::kReaders.begin(), energy::kReaders.end());
    return beside_meter([&](const std::stop_token& stop) {
      options.stop = stop;
      return measure::measure(set_, loads_, schedule, options);
    });
  }

  /// What `play` plays, to its end; beside the meter where there is one.
  Result<measure::Measurement> beside_meter(
      const std::function<Result<measure::Measurement>(const std::stop_token&)>& play) {
    std::optional<measure::Measurement> measured;
    const calibrate::MeteredPlay keep = [&](const std::stop_token& stop) -> Result<void> {
      auto played = play(stop);
      if (!played) return Unexpected(played.error());
      measured = *std::move(played);
      return {};
    };
    const std::stop_token& stop = options_.measure.stop;
    if (options_.meter) {
      auto readings = calibrate::metered(set_, options_.meter->live, options_.seed, stop, keep);
      if (!readings) return Unexpected(readings.error());
      readings_ = *std::move(readings);
      for (const std::string& warning : readings_.warnings) add_note(warning);
    } else if (const auto done = keep(stop); !done) {
      return Unexpected(done.error());
    }
    if (measured->interrupted) return Unexpected(Error{Errc::timed_out, "interrupted"});
    return *std::move(measured);
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
    const int long_executions =
        measure::design_of(measure::practice_for(device()), once_.duration).executions;
    const load::Schedule both =
        one_after_other(runs, kBeforeLongRun, run_of(once_, long_executions));
    const auto played = play(options_.practice ? both : runs, name);
    if (!played) return Unexpected(played.error());
    const Recording& recording = played->recordings.front();
    auto of_runs = runs_of(recording, kReferenceRuns + (options_.practice ? 1 : 0));
    if (!of_runs) return Unexpected(of_runs.error());
    std::vector<Window> of_long_run;
    if (options_.practice) {
      of_long_run.push_back(of_runs->back());
      of_runs->pop_back();
    }
    const auto steady = steady_state_of(recording, *of_runs, executions, device().knowledge());
    if (!steady) return Unexpected(steady.error());
    if (options_.practice) {
      const auto warm =
          steady_state_of(recording, of_long_run, long_executions, device().knowledge());
      if (!warm) return Unexpected(warm.error());
      steady_of_practice_ = *warm;
      result_.practice_agreement = warm->agreement;
    }
    steady_ = *steady;
    result_.agreement = steady->agreement;
    result_.run_to_run = steady->run_to_run;
    result_.reference_uncertainty = steady->uncertainty;
    result_.reference_throttled =
        steady->throttled || (steady_of_practice_ && steady_of_practice_->throttled);
    return {};
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

  /// Gross joules of a window of so many executions, by what is known without a meter.
  Result<Joules> reference_of(const energy::EnergyEstimate& estimate,
                              const std::optional<SteadyState>& steady, int executions,
                              Seconds window) const {
    if (reference() == Reference::truth && estimate.truth) return *estimate.truth;
    if (steady) return steady->of(executions, window, estimate.baseline.value_or(Watts(0)));
    return Unexpected(Error{Errc::insufficient_data, "no reference"});
  }

  /// Of one execution, by the trials' windows.
  static Seconds mean_length(const std::vector<measure::TrialEnergy>& trials) {
    Seconds sum{0};
    for (const measure::TrialEnergy& trial : trials) {
      const Seconds work = Seconds(trial.window.end - trial.window.begin) - trial.pause;
      sum += trial.weight * work / trial.executions;
    }
    return sum;
  }

  /// Of an execution, by the meter: the mean of the trials.
  Result<Joules> metered_mean(const std::vector<measure::TrialEnergy>& trials) const {
    double sum = 0.0;
    for (const measure::TrialEnergy& trial : trials) {
      const auto one =
          calibrate::metered_execution(readings_, trial.window, trial.executions, trial.pause);
      if (!one) return one;
      sum += one->value();
    }
    return Joules(sum / static_cast<double>(trials.size()));
  }

  Result<measure::Measurement> play_one_run(const load::Schedule& run) {
    const HostTime begin = set_.clock->now();
    say_what("one run");
    auto measured = play(run, "run");
    result_.one_run_took = Seconds(set_.clock->now() - begin);
    return measured;
  }

  Result<void> judge_one_run(const measure::Measurement& measured, int executions) {
    const energy::EnergyEstimate& one = measured.run.devices.front();
    result_.run = one.window;
    const auto known =
        options_.meter ? calibrate::metered_execution(
                             readings_, measured.recordings.front().windows.front(), 1, Seconds(0))
                       : reference_of(one, steady_, executions, one.window);
    if (!known) return Unexpected(known.error());
    result_.reference = *known;
    result_.power = *known / one.window;
    result_.baseline = one.baseline;
    const auto error = [&](double joules) { return joules / known->value() - 1; };
    result_.one_run =
        told_of(one, one.energy ? std::optional(error(one.energy->interval.value)) : std::nullopt);
    result_.explained = is_explained();
    for (const auto& [name, joules] : one.naive_j) {
      const auto source = parse_source(name);
      if (source && source->scope == Scope::gpu) result_.errors["naive " + name] = error(joules);
    }
    for (const energy::ReaderEnergy& reader : one.readers) {
      const auto off = energy::deviation_of(reader, one, *result_.reference);
      if (off && reader.reader != energy::Reader::naive) {
        result_.errors[std::string(to_string(reader.reader))] = *off;
      }
    }
    return {};
  }

  std::optional<bool> is_explained() const {
    const ToldEnergy& told = result_.one_run;
    if (!steady_ || !steady_->run_to_run || !told.error || !told.half_width) return std::nullopt;
    constexpr double kRuns = kReferenceRuns;
    const double another = *steady_->run_to_run * std::sqrt(1 + 1 / kRuns);
    const double differ = numerics::student_widening(kRuns - 1) * another;
    uncertainty::Budget off(*told.error);
    off.add(uncertainty::Cause::readings, *told.half_width / kCoverageFactor95, {.run = 1});
    off.add(uncertainty::Cause::readings, steady_->uncertainty, {.run = 2});
    off.add(uncertainty::Cause::scatter, differ);
    const Interval left = uncertainty::interval_of(off);
    return left.lower <= 0 && 0 <= left.upper;
  }

  Result<void> play_practice() {
    const HostTime begin = set_.clock->now();
    measure::RepeatOptions repeat{
        .measure = options_.measure, .good_practice = true, .seed = options_.seed};
    repeat.measure.out = file_of("practice");
    repeat.measure.blind = false;
    repeat.measure.estimate.readers.clear();
    repeat.measure.progress = {};
    say_what("good practice");
    const auto measured = beside_meter([&](const std::stop_token& stop) {
      repeat.measure.stop = stop;
      return measure::measure_repeatedly(set_, loads_, once_, repeat);
    });
    result_.practice_took = Seconds(set_.clock->now() - begin);
    if (!measured) return Unexpected(measured.error());
    const energy::EnergyEstimate& one = measured->run.devices.front();
    const std::vector<measure::TrialEnergy>& trials = measured->run.repetition->of_devices.front();
    const auto known = options_.meter ? metered_mean(trials)
                                      : reference_of(one, steady_of_practice_, 1, one.window);
    if (!known) {
      add_note(fmt::format("{}: good practice has {}", workload_.name, known.error().message));
      return {};
    }
    std::optional<double> error;
    if (one.energy) error = one.energy->interval.value / known->value() - 1;
    if (one.energy && reference() == Reference::steady_state) {
      // A program's executions take a little more or less time than planned.
      const auto in_time = reference_of(one, steady_of_practice_, 1, mean_length(trials));
      error = one.energy->interval.value / in_time->value() - 1;
    }
    result_.practice = told_of(one, error);
    for (const energy::ReaderEnergy& reader : one.readers) {
      if (!reader.energy) continue;
      // The meter's joules are of the executions as they were, as the reader's are.
      const auto off = options_.meter ? std::optional(*reader.energy / *known - 1)
                                      : energy::deviation_of(reader, one, *known);
      if (off) result_.errors[std::string(to_string(reader.reader))] = *off;
    }
    return {};
  }

  void add_note(const std::string& note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }

  void say_what(std::string_view what) const {
    experiment::say(options_.measure.progress, std::nullopt,
                    fmt::format("{}, {}", workload_.name, what));
  }

  devices::DeviceSet& set_;
  const devices::Environment& environment_;
  const ValidateOptions& options_;
  const store::Workload& workload_;
  std::vector<std::string>& notes_;
  ValidatedWorkload result_;
  experiment::PreparedLoads loads_;
  load::Schedule once_;
  trace::MeterTrace readings_;                     ///< of the meter, beside what was played last
  std::optional<SteadyState> steady_;              ///< of runs as long as the one
  std::optional<SteadyState> steady_of_practice_;  ///< ... as a trial of good practice
};

}  // namespace

Reference reference_for(const devices::DeviceSet& set, const ValidateOptions& options) {
  if (options.meter) return Reference::meter;
  const bool truth = set.simulated() && !options.ignore_truth;
  return truth ? Reference::truth : Reference::steady_state;
}

ValidatedWorkload study_workload(devices::DeviceSet& set, const devices::Environment& environment,
                                 const ValidateOptions& options, const store::Workload& workload,
                                 std::vector<std::string>& notes) {
  return WorkloadStudy(set, environment, options, workload, notes).play();
}

}  // namespace truewatt::validate
