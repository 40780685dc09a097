#include "truewatt/measure/repeated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "truewatt/energy/aggregate/execution_mean.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/measure/phase_spread.hpp"
#include "truewatt/measure/practice_reading.hpp"
#include "truewatt/measure/repetition_design.hpp"
#include "truewatt/measure/repetition_outlook.hpp"
#include "truewatt/measure/stopping_rule.hpp"
#include "truewatt/measure/trial_means.hpp"

namespace truewatt::measure {
namespace {

using energy::EnergyEstimate;
using energy::Trial;

/// How much later a trial of good practice begins by chance (Yang 2024, section V-B).
constexpr Seconds kPracticeLead{1.0};

/// RUN.db: RUN.3.db of the third trial.
std::filesystem::path file_of_trial(const std::filesystem::path& path, int trial) {
  std::filesystem::path file = path;
  file.replace_filename(
      fmt::format("{}.{}{}", path.stem().string(), trial + 1, path.extension().string()));
  return file;
}

class Trials {
 public:
  Trials(devices::DeviceSet& set, experiment::PreparedLoads& loads, const load::Schedule& once,
         const RepeatOptions& options)
      : set_(set),
        loads_(loads),
        once_(once),
        options_(options),
        rule_(set, once.duration, options),
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
    if (auto can = rule_.check_reach(design_); !can) return Unexpected(can.error());
    begin_ = set_.clock->now();
    while (!interrupted_ && !file_error_ && !rule_.is_enough(of_devices_, executions_, elapsed())) {
      if (auto done = play_trial(); !done) return Unexpected(done.error());
    }
    return Measurement{.run = conclude(), .file_error = file_error_, .interrupted = interrupted_};
  }

 private:
  int trials() const { return count_of(of_devices_); }
  /// Since the first trial began.
  Seconds elapsed() const { return Seconds(set_.clock->now() - begin_); }

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
    one.all_windows = false;
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
      const bool is_known = !options_.measure.blind;
      if (is_known && !is_whole(recording, schedule)) trial.estimate.valid = false;
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
    if (!options_.good_practice) return spread_.next(elapsed());
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

  std::optional<double> share_done() const {
    if (options_.good_practice) return static_cast<double>(played_ - 1) / kPracticeTrials;
    if (options_.executions) return static_cast<double>(executions_) / *options_.executions;
    const double needed = std::max<double>(rule_.needed_trials().value_or(kFewestTrials), played_);
    return (played_ - 1) / needed;
  }

  std::string progress_text(int number) const {
    std::string of;
    if (rule_.needed_trials()) {
      of = fmt::format(" of about {:.0f}", std::max(*rule_.needed_trials(), number + 1.0));
    } else if (options_.target) {
      of = fmt::format(" of {} or more", kFewestTrials);
    }
    std::string so_far;
    if (rule_.half_width()) {
      so_far = fmt::format(", ± {:.2g} % so far", 100 * *rule_.half_width());
    }
    return fmt::format("trial {}{}{}: {} times {}", number + 1, of, so_far, next_executions(),
                       once_.spec);
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
      run.devices = means_of(of_devices_, once_.duration, options_);
      run.total = energy::total_of(run.devices);
      run.repetition =
          repetition_of(of_devices_, run.devices, executions_, design_, options_.target, elapsed());
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
    if (!rule_.never().empty()) run.notes.push_back(rule_.never());
    for (EnergyEstimate& mean : run.devices) {
      if (!interrupted_) continue;
      mean.valid = false;
      energy::add_reason(mean, energy::Reason::interrupted);
    }
    for (std::size_t i = 0; i < run.devices.size(); ++i) {
      const auto device = static_cast<int>(i);
      const EnergyEstimate& mean = run.devices[i];
      run.windows.push_back({device, "load", 0.0, once_.duration.count(), mean});
      if (executions_ == 0) continue;
      run.labels.push_back({.device = device,
                            .label = "load",
                            .count = static_cast<std::size_t>(executions_),
                            .mean = mean.energy});
    }
    return run;
  }

  devices::DeviceSet& set_;
  experiment::PreparedLoads& loads_;
  const load::Schedule& once_;
  const RepeatOptions& options_;
  StoppingRule rule_;
  PhaseSpread spread_;
  RepetitionDesign design_;
  TrialsByDevice of_devices_;
  std::mt19937 chance_;
  std::vector<replication::GoodPractice> practices_;  ///< one per device, of good practice alone
  int played_ = 0;                                    ///< trials begun
  int executions_ = 0;                                ///< in trials that ended
  bool interrupted_ = false;
  std::optional<Error> file_error_;
  HostTime begin_;
  DriverTime start_;  ///< of the first trial
  std::vector<std::string> notes_;
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
