#include "truewatt/measure/repeated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "truewatt/energy/aggregate/execution_mean.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/measure/phase_spread.hpp"
#include "truewatt/measure/practice_reading.hpp"
#include "truewatt/measure/repetition_design.hpp"
#include "truewatt/measure/repetition_outlook.hpp"

namespace truewatt::measure {
namespace {

using energy::EnergyEstimate;
using energy::Trial;

/// A forecast of more executions than this says nothing but "many"; nor can so many be asked for.
constexpr double kMostForecast = 1e6;
/// A forecast from a few trials' scatter may be twice too long; it is given up on where it is more
/// than that beyond the budget.
constexpr double kForecastDoubt = 2.0;

/// What stays is known badly from one trial: it must be so much above the target.
constexpr double kClearlyAbove = 1.5;

/// Trials of good practice, as many as the authors' code makes, and how much later one begins by
/// chance (Yang 2024, sections V-A and V-B).
constexpr int kPracticeTrials = 4;
constexpr Seconds kPracticeLead{1.0};

/// RUN.db: RUN.3.db of the third trial.
std::filesystem::path file_of_trial(const std::filesystem::path& path, int trial) {
  std::filesystem::path file = path;
  file.replace_filename(
      fmt::format("{}.{}{}", path.stem().string(), trial + 1, path.extension().string()));
  return file;
}

std::vector<TrialEnergy> energies_of(const std::vector<Trial>& trials) {
  std::vector<TrialEnergy> energies;
  const std::vector<double> weights = energy::trial_weights(trials);
  for (const Trial& trial : trials) {
    TrialEnergy one{.executions = trial.executions,
                    .joules = energy::joules_of_one(trial),
                    .truth = trial.truth,
                    .weight = weights[energies.size()],
                    .valid = trial.estimate.valid,
                    .window = trial.window,
                    .pause = trial.pause};
    if (const auto half = energy::half_width_without_gain(trial.estimate)) {
      one.half_width_j = *half * trial.estimate.energy->interval.value / trial.executions;
    }
    energies.push_back(one);
  }
  return energies;
}

class Trials {
 public:
  Trials(devices::DeviceSet& set, experiment::PreparedLoads& loads, const load::Schedule& once,
         const RepeatOptions& options)
      : set_(set),
        loads_(loads),
        once_(once),
        options_(options),
        spread_(periods_known(set)),
        design_(repetition_design(once.duration, spread_.periods(),
                                  executions_of_trial(once.duration, options.executions))),
        of_devices_(set.devices.size()),
        chance_(options.seed) {
    if (!options.good_practice) return;
    for (const devices::Device& device : set.devices) practices_.push_back(practice_for(device));
    const auto longest = std::max_element(
        practices_.begin(), practices_.end(),
        [](const auto& one, const auto& other) { return one.delay < other.delay; });
    design_ = design_of(*longest, once.duration);
  }

  Result<Measurement> play() {
    if (auto can = can_be_told(); !can) return Unexpected(can.error());
    begin_ = set_.clock->now();
    while (!interrupted_ && !file_error_ && !is_enough(Seconds(set_.clock->now() - begin_))) {
      if (auto done = play_trial(); !done) return Unexpected(done.error());
    }
    return Measurement{.run = conclude(), .file_error = file_error_, .interrupted = interrupted_};
  }

 private:
  /// Whether a target is not out of reach before anything was played.
  Result<void> can_be_told() const {
    if (!options_.target || options_.executions || options_.good_practice) return {};
    const Seconds trial = design_.executions * once_.duration;
    if (trial <= options_.budget) return {};
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("± {:.2g} % takes {} trials of {:.0f} s at least, longer than the {:.0f} s of "
                    "--budget: give them --budget {:.0f}s, or measure one execution "
                    "without --target",
                    100 * *options_.target, kFewestTrials, trial.count(), options_.budget.count(),
                    std::ceil(1.1 * kFewestTrials * trial.count())));
  }

  int trials() const { return static_cast<int>(of_devices_.front().size()); }

  /// How many executions the next trial has: as many as the others, as evenly as that goes.
  int next_executions() const {
    if (!options_.executions || options_.good_practice) return design_.executions;
    const int left = *options_.executions - executions_;
    const int trials_left = (left + design_.executions - 1) / design_.executions;
    return (left + trials_left - 1) / std::max(1, trials_left);
  }

  Result<void> play_trial() {
    const int number = played_++;
    const int executions = next_executions();
    const Seconds lead = next_lead();
    const load::Schedule schedule = trial_schedule(once_, design_, executions, lead);
    MeasureOptions one = options_.measure;
    one.windows = {{lead, schedule.duration, "trial"}};
    one.figures = false;
    one.progress = {};
    one.metadata["load"] = schedule.spec;
    one.metadata[kExecutions] = fmt::format("{}", executions);
    if (one.out) one.out = file_of_trial(*one.out, number);
    experiment::say(options_.measure.progress, share_done(), progress_text(number));
    auto measured = measure(set_, loads_, schedule, one);
    if (!measured) return Unexpected(measured.error());
    file_error_ = measured->file_error;
    interrupted_ = measured->interrupted;
    if (interrupted_) return {};  // what was cut short is no trial
    if (trials() == 0) start_ = measured->run.start;
    for (const std::string& note : measured->run.notes) {
      if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    }
    for (std::size_t i = 0; i < set_.devices.size(); ++i) {
      const Recording& recording = measured->recordings[i];
      const HostTime begin = recording.windows.front().begin - to_nanoseconds(lead);
      Trial trial{.estimate = std::move(measured->run.devices[i]),
                  .executions = executions,
                  .pause = pauses_of(design_, executions),
                  .truth = truth_of(set_.devices[i], begin, executions, lead),
                  .window = recording.windows.front()};
      if (!is_whole(recording, schedule)) trial.estimate.valid = false;
      if (options_.good_practice) {
        trial.estimate.readers.push_back(
            read_by_practice(recording, design_, once_.duration, executions, practices_[i]));
      }
      of_devices_[i].push_back(std::move(trial));
    }
    executions_ += executions;
    if (number == 0 && !options_.good_practice) look_at_periods(measured->recordings);
    return {};
  }

  /// The first trial shows the update periods of devices that nobody characterized.
  void look_at_periods(const std::vector<Recording>& recordings) {
    spread_.set_periods(periods_shown(set_, recordings));
    design_ = repetition_design(once_.duration, spread_.periods(), design_.executions);
  }

  Seconds next_lead() {
    if (!options_.good_practice) {
      return spread_.next(Seconds(set_.clock->now() - begin_));
    }
    return std::uniform_real_distribution<double>(0.0, 1.0)(chance_) * kPracticeLead;
  }

  /// Whether all of the schedule's work was done: a host that is late leaves stretches out.
  static bool is_whole(const Recording& recording, const load::Schedule& schedule) {
    return recording.activity.size() >= load::active_stretches(schedule).size();
  }

  std::optional<Joules> truth_of(const devices::Device& device, HostTime begin, int executions,
                                 Seconds lead) const {
    if (!device.simulated) return std::nullopt;
    const Seconds after = Seconds(begin - set_.origin);
    double sum = 0.0;
    for (const Seconds at : begins_of(once_, design_, executions, lead)) {
      const Seconds from = after + at;
      sum += device.simulated->true_energy(from.count(), (from + once_.duration).count());
    }
    return Joules(sum / executions);
  }

  /// A target's trials end, or are given up on, for how their scatter looks.
  std::vector<EnergyEstimate> means() const {
    const bool planned = options_.executions || options_.good_practice;
    const auto ended_by =
        planned || !options_.target ? uncertainty::EndedBy::design : uncertainty::EndedBy::target;
    // Who asks for a wider one is content with it.
    const double resolve =
        std::max(options_.measure.estimate.resolve, options_.target.value_or(0.0));
    std::vector<EnergyEstimate> all;
    for (const std::vector<Trial>& of_one : of_devices_) {
      all.push_back(energy::mean_execution(of_one, once_.duration,
                                           {.ended_by = ended_by, .resolve = resolve}));
    }
    return all;
  }

  /// The widest device's; absent where one has no energy.
  static std::optional<double> widest(const std::vector<EnergyEstimate>& means) {
    double most = 0.0;
    for (const EnergyEstimate& mean : means) {
      const auto half = energy::half_width_without_gain(mean);
      if (!half) return std::nullopt;
      most = std::max(most, *half);
    }
    return most;
  }

  /// Trials of the device that has fewest that a mean can rest on.
  int usable() const {
    std::size_t fewest = of_devices_.front().size();
    for (const std::vector<Trial>& of_one : of_devices_) {
      fewest = std::min(fewest, energy::usable_trials(of_one).size());
    }
    return static_cast<int>(fewest);
  }

  /// A device that stopped answering for good has no further trial.
  bool is_lost() const {
    return std::any_of(of_devices_.begin(), of_devices_.end(), [](const auto& of_one) {
      return !of_one.empty() &&
             energy::has_reason(of_one.back().estimate.reasons, energy::Reason::gpu_lost);
    });
  }

  /// Notes why, too.
  bool is_enough(Seconds elapsed) {
    if (is_lost()) return true;
    if (options_.good_practice) return trials() >= kPracticeTrials;
    if (options_.executions) return executions_ >= *options_.executions;
    if (trials() < kFewestTrials) return trials() > 0 && is_hopeless(elapsed);
    if (usable() == 0) {
      never_ = "a device has no energy, for the reasons above; repeating does not change that";
      return true;
    }
    const bool time_is_over = elapsed * (1.0 + 1.0 / trials()) > options_.budget;
    if (usable() < kFewestTrials) return time_is_over;
    const std::vector<EnergyEstimate> all = means();
    const auto half = widest(all);
    half_width_ = half;
    if (half && *half <= *options_.target) return true;
    if (half) look_ahead(all, elapsed);
    return !never_.empty() || time_is_over;
  }

  /// Whether fewer trials than tell a scatter say that none will do: by what stays of the first,
  /// or since they are too long. Notes why, too.
  bool is_hopeless(Seconds elapsed) {
    for (const std::vector<Trial>& of_one : of_devices_) {
      const auto left = irreducible_of(of_one.front());
      if (!left || left->half_width <= kClearlyAbove * *options_.target) continue;
      never_ = never_for(*left);
      return true;
    }
    const Seconds takes = elapsed * kFewestTrials / trials();
    if (takes <= kForecastDoubt * options_.budget) return false;
    never_ = fmt::format(
        "± {:.2g} % takes {} trials at least, {:.0f} s: more than twice the {:.0f} s of --budget",
        100 * *options_.target, kFewestTrials, takes.count(), options_.budget.count());
    return elapsed * (1.0 + 1.0 / trials()) > options_.budget;
  }

  std::string never_for(const Irreducible& left) const {
    const bool characterized =
        std::all_of(set_.devices.begin(), set_.devices.end(),
                    [](const devices::Device& device) { return device.known.profile.has_value(); });
    return fmt::format(
        "no number of repetitions reaches ± {:.2g} %: ± {:.2g} % stay, most of it by {}; {}ask for "
        "less, or for more work in an execution",
        100 * *options_.target, 100 * left.half_width, uncertainty::code_of(left.most),
        characterized ? "" : "characterize the device, ");
  }

  /// Whether the target can be reached, and when.
  void look_ahead(const std::vector<EnergyEstimate>& all, Seconds elapsed) {
    double needed = 0.0;
    for (const EnergyEstimate& mean : all) {
      const Irreducible left = irreducible_of(mean);
      if (left.half_width >= *options_.target) {
        never_ = never_for(left);
        return;
      }
      needed = std::max(needed, trials_for(mean, trials(), *options_.target));
    }
    needed_trials_ = needed;
    const Seconds takes = elapsed * (needed / trials());
    if (takes > kForecastDoubt * options_.budget) {
      never_ = fmt::format(
          "± {:.2g} % takes much longer than the {:.0f} s of --budget; no further trial was made",
          100 * *options_.target, options_.budget.count());
    }
  }

  std::optional<double> share_done() const {
    if (options_.good_practice) return static_cast<double>(played_ - 1) / kPracticeTrials;
    if (options_.executions) return static_cast<double>(executions_) / *options_.executions;
    const double needed = std::max<double>(needed_trials_.value_or(kFewestTrials), played_);
    return (played_ - 1) / needed;
  }

  std::string progress_text(int number) const {
    std::string of;
    if (needed_trials_) {
      of = fmt::format(" of about {:.0f}", std::max(*needed_trials_, number + 1.0));
    } else if (options_.target) {
      of = fmt::format(" of {} or more", kFewestTrials);
    }
    std::string so_far;
    if (half_width_) so_far = fmt::format(", ± {:.2g} % so far", 100 * *half_width_);
    return fmt::format("trial {}{}{}: {} times {}", number + 1, of, so_far, next_executions(),
                       once_.spec);
  }

  Repetition repetition_of(const std::vector<EnergyEstimate>& all) const {
    Repetition repetition{.executions = executions_,
                          .trials = trials(),
                          .pause = design_.pause,
                          .target = options_.target,
                          .half_width = widest(all)};
    if (!options_.target || !repetition.half_width) return repetition;
    const bool resolved =
        std::all_of(all.begin(), all.end(), [](const EnergyEstimate& one) { return one.resolved; });
    repetition.reached =
        resolved && trials() >= kFewestTrials && *repetition.half_width <= *options_.target;
    if (*repetition.half_width <= *options_.target || trials() < 2 || is_lost()) return repetition;
    double needed = 0.0;
    for (const EnergyEstimate& mean : all) {
      needed = std::max(needed, trials_for(mean, trials(), *options_.target));
    }
    const double executions = std::ceil(needed) * design_.executions;
    if (!(executions <= kMostForecast)) return repetition;
    repetition.needs_executions = static_cast<int>(executions);
    repetition.needs = Seconds(set_.clock->now() - begin_) * (std::ceil(needed) / trials());
    return repetition;
  }

  EnergyRun conclude() const {
    EnergyRun run{.tool_version = TRUEWATT_VERSION, .start = start_, .load = once_.spec};
    run.notes = notes_.empty() ? set_.notes : notes_;
    run.repetition = Repetition{.pause = design_.pause, .target = options_.target};
    if (trials() == 0) {
      for (const devices::Device& device : set_.devices) {
        run.devices.push_back({.device = device.sensor->device(), .window = once_.duration});
      }
    } else {
      run.devices = means();
      run.total = energy::total_of(run.devices);
      run.repetition = repetition_of(run.devices);
      for (const auto& of_one : of_devices_) {
        run.repetition->of_devices.push_back(energies_of(of_one));
      }
      for (std::size_t i = 0; i < set_.devices.size(); ++i) {
        const int gpu = set_.devices[i].sensor->device().index;
        for (const auto& note :
             {left_out_note(of_devices_[i], gpu), drift_note(of_devices_[i], gpu)}) {
          if (note) run.notes.push_back(*note);
        }
      }
    }
    if (!never_.empty()) run.notes.push_back(never_);
    for (EnergyEstimate& mean : run.devices) {
      if (!interrupted_) continue;
      mean.valid = false;
      energy::add_reason(mean, energy::Reason::interrupted);
    }
    return run;
  }

  devices::DeviceSet& set_;
  experiment::PreparedLoads& loads_;
  const load::Schedule& once_;
  const RepeatOptions& options_;
  PhaseSpread spread_;
  RepetitionDesign design_;
  std::vector<std::vector<Trial>> of_devices_;
  std::mt19937 chance_;
  std::vector<replication::GoodPractice> practices_;  ///< one per device, of good practice alone
  int played_ = 0;                                    ///< trials begun
  int executions_ = 0;                                ///< in trials that ended
  bool interrupted_ = false;
  std::optional<Error> file_error_;
  HostTime begin_;
  DriverTime start_;  ///< of the first trial
  std::vector<std::string> notes_;
  std::string never_;  ///< why no further trial is worth it
  std::optional<double> needed_trials_;
  std::optional<double> half_width_;  ///< so far
};

}  // namespace

Result<Measurement> measure_repeatedly(devices::DeviceSet& set, const load::Schedule& schedule,
                                       const devices::Environment& environment,
                                       const RepeatOptions& options) {
  auto loads = experiment::prepare_loads(set, schedule, environment, options.measure.progress);
  if (!loads) return Unexpected(loads.error());
  return measure_repeatedly(set, *loads, schedule, options);
}

Result<Measurement> measure_repeatedly(devices::DeviceSet& set, experiment::PreparedLoads& loads,
                                       const load::Schedule& schedule,
                                       const RepeatOptions& options) {
  return Trials(set, loads, schedule, options).play();
}

}  // namespace truewatt::measure
