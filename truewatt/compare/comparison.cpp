#include "truewatt/compare/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "truewatt/capture/command.hpp"
#include "truewatt/compare/compared_runs.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/measure/phase_spread.hpp"
#include "truewatt/measure/repeated.hpp"
#include "truewatt/measure/repetition_design.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::compare {
namespace {

/// Rounds are far longer than the budget where five take so many of it.
constexpr double kFarLonger = 2.0;

/// One side's run; without one where it was cut short.
using Turn = std::optional<measure::EnergyRun>;

/// Both sides in turns until enough is known. `measure(side)` runs one of them.
class Turns {
 public:
  using Run = std::function<Result<Turn>(std::size_t side)>;

  Turns(Clock& clock, const CompareOptions& options) : clock_(clock), options_(options) {}

  Result<EnergyComparison> play(const Run& run) {
    const HostTime begin = clock_.now();
    bool interrupted = false;
    while (!interrupted && !is_enough(Seconds(clock_.now() - begin))) {
      std::array<Turn, 2> round;
      const std::size_t first = sides_[0].size() % 2;
      for (const std::size_t side : {first, 1 - first}) {
        experiment::say(options_.measure.progress, share_done(), progress_text());
        auto one = run(side);
        if (!one) return Unexpected(one.error());
        interrupted = !one->has_value();
        if (interrupted) break;
        round[side] = std::move(*one);
      }
      if (interrupted) break;
      for (const std::size_t side : {0U, 1U}) sides_[side].push_back(std::move(*round[side]));
    }
    EnergyComparison compared = comparison_of(sides_[0], sides_[1], options_.target, ended_by_);
    if (!never_.empty()) compared.notes.push_back(never_);
    if (interrupted) {
      compared.valid = false;
      energy::add_reason(compared.reasons, energy::Reason::interrupted);
    }
    return compared;
  }

 private:
  int rounds() const { return static_cast<int>(sides_[0].size()); }

  /// Notes why, too.
  bool is_enough(Seconds elapsed) {
    if (rounds() > 0 && (is_lost(sides_[0].back()) || is_lost(sides_[1].back()))) return true;
    if (options_.rounds) return rounds() >= *options_.rounds;
    if (rounds() < kFewestRounds) return rounds() > 0 && are_too_long(elapsed);
    const auto narrow =
        comparison_of(sides_[0], sides_[1], options_.target, uncertainty::EndedBy::target);
    if (!narrow.gross) return true;
    so_far_ = narrow.gross->ratio;
    if (half_width(*narrow.gross) <= options_.target) {
      ended_by_ = uncertainty::EndedBy::target;
      return true;
    }
    never_ = why_never(*narrow.gross, options_.target);
    needed_ = rounds_for(*narrow.gross, options_.target);
    return !never_.empty() || elapsed * (1.0 + 1.0 / rounds()) > options_.budget;
  }

  /// Five rounds tell a scatter; fewer have to do where they take far longer than the budget.
  bool are_too_long(Seconds elapsed) {
    const Seconds takes = elapsed * kFewestRounds / rounds();
    if (takes <= kFarLonger * options_.budget) return false;
    if (elapsed * (1.0 + 1.0 / rounds()) <= options_.budget) return false;
    never_ = fmt::format(
        "{} of {} rounds were made, which take {:.0f} s, more than twice the {:.0f} s of --budget: "
        "how much the runs of a side differ from each other is not in the interval",
        rounds(), kFewestRounds, takes.count(), options_.budget.count());
    return true;
  }

  double share_done() const {
    const int known = options_.rounds.value_or(needed_.value_or(kFewestRounds));
    return static_cast<double>(rounds()) / std::max(known, rounds() + 1);
  }

  std::string progress_text() const {
    std::string of = fmt::format(" of {} or more", kFewestRounds);
    if (options_.rounds) of = fmt::format(" of {}", *options_.rounds);
    if (needed_) of = fmt::format(" of about {}", std::max(*needed_, rounds() + 1));
    std::string so_far;
    if (so_far_) {
      so_far = fmt::format(", B/A {:.4f} ± {:.2g} % so far", so_far_->value,
                           50 * (so_far_->upper - so_far_->lower));
    }
    return fmt::format("round {}{}{}", rounds() + 1, of, so_far);
  }

  Clock& clock_;
  const CompareOptions& options_;
  std::array<std::vector<measure::EnergyRun>, 2> sides_;
  uncertainty::EndedBy ended_by_ = uncertainty::EndedBy::design;
  std::string never_;               ///< why no further round would do
  std::optional<Interval> so_far_;  ///< the ratio
  std::optional<int> needed_;       ///< rounds, as far as those told that there are
};

/// When the runs of either side begin: at other phases of the sensors each time, so that no edge
/// looks the same in all rounds.
class Begins {
 public:
  explicit Begins(const devices::DeviceSet& set)
      : set_(set),
        first_(set.clock->now()),
        of_sides_{measure::PhaseSpread(measure::periods_known(set)),
                  measure::PhaseSpread(measure::periods_known(set))} {}

  /// How long to wait before the next run of a side.
  Seconds next(std::size_t side) { return of_sides_[side].next(set_.clock->now() - first_); }

  /// The first run shows the update periods of devices that nobody characterized.
  void look_at(const std::vector<Recording>& recordings) {
    if (std::exchange(looked_, true)) return;
    for (measure::PhaseSpread& side : of_sides_)
      side.set_periods(measure::periods_shown(set_, recordings));
  }

 private:
  const devices::DeviceSet& set_;
  HostTime first_;
  std::array<measure::PhaseSpread, 2> of_sides_;
  bool looked_ = false;
};

/// Why what a file holds of a device is not one run's energy with all that a ratio needs; empty
/// where it is.
std::string why_not(const std::vector<energy::EnergyEstimate>& estimates) {
  if (estimates.size() > 1) {
    return fmt::format("holds {} windows of one GPU; compare takes recordings of one window each",
                       estimates.size());
  }
  for (const energy::EnergyEstimate& one : estimates) {
    const auto is_gain = [](const uncertainty::Term& term) {
      return uncertainty::is_scale(term.cause) && term.u > 0;
    };
    const bool has_gain = std::any_of(one.budget.begin(), one.budget.end(), is_gain);
    if (one.energy && has_gain && one.energy->gain_uncertainty == 0.0) {
      return "was written by an older truewatt that did not note what of its energy's uncertainty "
             "is the sensor's gain; measure again";
    }
  }
  return "";
}

Result<measure::EnergyRun> runs_of_file(const std::filesystem::path& path) {
  auto file = store::read_run_file(path);
  if (!file) return Unexpected(file.error());
  measure::EnergyRun run;
  for (const auto& [key, value] : file->metadata) {
    if (key == measure::kExecutions && value != "1") {
      return Unexpected(Errc::unsupported,
                        fmt::format("{} is a trial of {} executions; compare takes runs of one",
                                    path.string(), value));
    }
    if (key == "load") run.load = value;
    if (key == "tool_version") run.tool_version = value;
  }
  run.work = measure::work_of(file->metadata);
  for (store::DeviceRun& device : file->devices) {
    // A node's total must not count twice what a sum over all of its meters would.
    if (is_host(device.recording.device)) continue;
    if (const std::string why = why_not(device.estimates); !why.empty()) {
      return Unexpected(Errc::unsupported, fmt::format("{} {}", path.string(), why));
    }
    for (energy::EnergyEstimate& estimate : device.estimates) {
      run.devices.push_back(std::move(estimate));
    }
  }
  if (run.devices.empty()) {
    return Unexpected(
        Errc::insufficient_data,
        fmt::format("{} holds no estimate: it was cut short, or is not of a measurement; "
                    "truewatt analyze shows what its readings hold",
                    path.string()));
  }
  run.total = energy::total_of(run.devices);
  return run;
}

}  // namespace

Result<EnergyComparison> compare_loads(devices::DeviceSet& set, const load::Schedule& a,
                                       const load::Schedule& b,
                                       const devices::Environment& environment,
                                       const CompareOptions& options) {
  const std::array<const load::Schedule*, 2> schedules = {&a, &b};
  measure::MeasureOptions quiet = options.measure;
  quiet.progress = {};
  auto loads = experiment::prepare_loads(set, a, environment, options.measure.progress);
  if (!loads) return Unexpected(loads.error());
  Begins begins(set);
  auto compared = Turns(*set.clock, options).play([&](std::size_t side) -> Result<Turn> {
    const Seconds lead = begins.next(side);
    const load::Schedule schedule = measure::trial_schedule(*schedules[side], {}, 1, lead);
    quiet.windows = {{lead, schedule.duration, "load"}};
    auto measured = measure::measure(set, *loads, schedule, quiet);
    if (!measured) return Unexpected(measured.error());
    begins.look_at(measured->recordings);
    if (measured->interrupted) return Turn();
    return Turn(std::move(measured->run));
  });
  if (!compared) return compared;
  compared->a.what = a.spec;
  compared->b.what = b.spec;
  compared->notes.insert(compared->notes.begin(), set.notes.begin(), set.notes.end());
  return compared;
}

Result<EnergyComparison> compare_commands(devices::DeviceSet& set,
                                          const std::vector<std::string>& a,
                                          const std::vector<std::string>& b,
                                          const devices::Environment& environment,
                                          const CompareOptions& options) {
  const std::array<const std::vector<std::string>*, 2> commands = {&a, &b};
  measure::CommandOptions one{.measure = options.measure};
  one.measure.progress = {};
  one.work = options.work;
  // For all rounds: a signal between two commands would find nobody.
  capture::CommandRunner runner;
  one.runner = &runner;
  Begins begins(set);
  auto compared = Turns(*set.clock, options).play([&](std::size_t side) -> Result<Turn> {
    const auto& argv = *commands[side];
    if (side == 1 && one.work && options.other_done) one.work->done = options.other_done;
    if (side == 0) one.work = options.work;
    set.clock->sleep_until(set.clock->now() + to_nanoseconds(begins.next(side)));
    auto measured = measure::run_command(set, argv, environment, one);
    if (!measured) return Unexpected(measured.error());
    begins.look_at(measured->recordings);
    if (measured->interrupted) return Turn();
    if (measured->work_error) return Unexpected(*measured->work_error);
    const int code = measured->run.command->exit_code;
    if (code == 0) return Turn(std::move(measured->run));
    return Unexpected(Errc::io, fmt::format("{} ended with exit code {}, so its energy is not "
                                            "compared",
                                            fmt::join(argv, " "), code));
  });
  if (!compared) return compared;
  compared->a.what = fmt::format("{}", fmt::join(a, " "));
  compared->b.what = fmt::format("{}", fmt::join(b, " "));
  compared->notes.insert(compared->notes.begin(), set.notes.begin(), set.notes.end());
  return compared;
}

Result<EnergyComparison> compare_run_files(const std::filesystem::path& a,
                                           const std::filesystem::path& b) {
  auto first = runs_of_file(a);
  if (!first) return Unexpected(first.error());
  auto second = runs_of_file(b);
  if (!second) return Unexpected(second.error());
  std::vector<measure::EnergyRun> of_a;
  of_a.push_back(std::move(*first));
  std::vector<measure::EnergyRun> of_b;
  of_b.push_back(std::move(*second));
  EnergyComparison compared = comparison_of(std::move(of_a), std::move(of_b), std::nullopt);
  compared.a.what = a.string();
  compared.b.what = b.string();
  std::error_code missing;  // which reading it told
  if (std::filesystem::equivalent(a, b, missing)) {
    compared.notes.push_back("both are one file: the interval is that of two such runs");
  }
  return compared;
}

}  // namespace truewatt::compare
