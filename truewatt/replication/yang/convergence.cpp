#include "truewatt/replication/yang/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <random>
#include <utility>

#include "truewatt/base/interval.hpp"
#include "truewatt/characterize/characterization.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/measure/repeated.hpp"
#include "truewatt/measure/repetition_design.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/replication/readers/good_practice.hpp"

namespace truewatt::replication {
namespace {

/// Executions as shares of the update period, and how many of each are tried at most (Yang 2024,
/// Figs. 15 to 17).
struct TriedLoad {
  double of_period;
  int most;
};
constexpr std::array<TriedLoad, 3> kTried = {{{0.25, 256}, {1.0, 128}, {8.0, 64}}};
constexpr std::array<int, 3> kDelays = {0, 4, 8};
/// Trials begin up to so much later by chance.
constexpr Seconds kChance{1.0};
/// Ours are tried up to what the paper executes at least, or a quarter of its most.
constexpr int kMostOfOurs = 32;
constexpr int kQuarter = 4;
/// An energy that is known, but for the gain.
constexpr double kClose = 0.01;
/// Without `full`.
constexpr int kFewer = 8;
constexpr int kFewest = 16;

/// Square wave, on for the first half.
load::Schedule execution_of(Seconds length) {
  return {.steps = {{Seconds(0), 1.0}, {length / 2, 0.0}},
          .duration = length,
          .spec = fmt::format("square:period={0}ms,duty=0.5,duration={0}ms", 1e3 * length.count())};
}

ConvergencePoint point_of(int executions, const std::vector<double>& errors) {
  const auto summary = numerics::summarize(errors);
  return {.executions = executions,
          .mean = summary ? summary->mean : 0.0,
          .spread = summary ? summary->sd : 0.0};
}

/// Executions from which on all points are so.
template <class Is>
std::optional<int> from_on(const std::vector<ConvergencePoint>& points, Is is) {
  const auto last_not = std::find_if_not(points.rbegin(), points.rend(), is);
  if (last_not == points.rbegin()) return std::nullopt;
  return std::prev(last_not)->executions;
}

/// One case: one source of the device.
class CaseStudy {
 public:
  CaseStudy(devices::DeviceSet& set, const devices::Environment& environment,
            const ConvergenceOptions& options, ConvergenceCase& result)
      : set_(set),
        environment_(environment),
        options_(options),
        result_(result),
        practice_(good_practice(result.looks, result.period)),
        chance_(static_cast<unsigned>(options.seed)) {}

  Result<void> play() {
    for (const TriedLoad& tried : kTried) {
      ConvergenceLoad load{.execution = tried.of_period * result_.period};
      const int most = most_of(tried);
      const bool part_time = practice_.delay > Seconds(0);
      for (const int delays : kDelays) {
        if (delays > 0 && !part_time) continue;
        if (auto done = play_papers(load, delays, most); !done) return done;
      }
      if (auto done = play_ours(load, most_of_ours(tried)); !done) return done;
      conclude(load);
      result_.loads.push_back(std::move(load));
    }
    return {};
  }

 private:
  devices::Device& device() { return set_.devices.front(); }

  double chance() { return std::uniform_real_distribution<double>(0.0, 1.0)(chance_); }

  Result<void> check_stop() const {
    if (!options_.stop.stop_requested()) return {};
    return Unexpected(Error{Errc::timed_out, "the study was interrupted before its end"});
  }

  /// Executions to play for `load`, so far as they tell how long it takes.
  int executions_of(const TriedLoad& tried) const {
    const auto curves = practice_.delay > Seconds(0) ? std::size(kDelays) : 1;
    return most_of(tried) * static_cast<int>(curves) + most_of_ours(tried);
  }
  int most_of(const TriedLoad& tried) const {
    return options_.full ? tried.most : std::max(kFewest, tried.most / kFewer);
  }
  int most_of_ours(const TriedLoad& tried) const {
    const int most = most_of(tried);
    return std::min(most, std::max(kMostOfOurs, most / kQuarter));
  }

  void say_progress(const ConvergenceLoad& load, std::string_view what, int executions) {
    int all = 0;
    for (const TriedLoad& tried : kTried) all += executions_of(tried);
    const double share = static_cast<double>(played_) / (2.0 * all);
    // Every curve doubles its executions up to its most: twice that all together.
    played_ += executions;
    experiment::say(options_.progress, std::min(share, 1.0),
                    fmt::format("{}, {:.0f} ms, {}: {} executions", to_string(result_.source),
                                1e3 * load.execution.count(), what, executions));
  }

  /// As read and with the paper's corrections.
  Result<void> play_papers(ConvergenceLoad& load, int delays, int most) {
    ConvergenceCurve as_read{.telling = Telling::as_read, .delays = delays};
    ConvergenceCurve corrected{.telling = Telling::corrected, .delays = delays};
    const std::optional<Profile> profile = std::exchange(device().known.profile, std::nullopt);
    const load::Schedule once = execution_of(load.execution);
    auto loads = experiment::prepare_loads(set_, once, environment_, {});
    if (!loads) return Unexpected(loads.error());
    for (int count = std::max(1, delays); count <= most; count *= 2) {
      say_progress(load, delays > 0 ? fmt::format("{} delays", delays) : "no delays", count);
      const measure::RepetitionDesign design{.executions = count,
                                             .group = delays > 0 ? count / delays : count,
                                             .pause = delays > 0 ? practice_.delay : Seconds(0)};
      std::vector<double> raw_errors;
      std::vector<double> errors;
      for (int trial = 0; trial < options_.trials; ++trial) {
        if (auto go_on = check_stop(); !go_on) return go_on;
        const Seconds lead = chance() * kChance;
        const load::Schedule schedule = measure::trial_schedule(once, design, count, lead);
        const auto measured = measure::measure(set_, *loads, schedule,
                                               {.windows = {{lead, schedule.duration, "trial"}}});
        if (!measured) return Unexpected(measured.error());
        const Recording& recording = measured->recordings.front();
        const auto groups =
            measure::groups_of(design, load.execution, count, recording.windows.front().begin);
        const double truth = true_joules(groups, count);
        const Trace* trace = find_trace(recording, result_.source);
        if (trace == nullptr) continue;
        if (const auto joules = energy_of_execution(*trace, groups, {})) {
          raw_errors.push_back(joules->value() / truth - 1);
        }
        if (const auto joules = energy_of_execution(*trace, groups, practice_)) {
          errors.push_back(joules->value() / truth - 1);
        }
      }
      if (raw_errors.size() > 1) as_read.points.push_back(point_of(count, raw_errors));
      if (errors.size() > 1) corrected.points.push_back(point_of(count, errors));
    }
    device().known.profile = profile;
    load.curves.push_back(std::move(as_read));
    load.curves.push_back(std::move(corrected));
    return {};
  }

  double true_joules(const std::vector<ExecutionGroup>& groups, int executions) {
    double sum = 0.0;
    for (const ExecutionGroup& group : groups) {
      sum += device().simulated->true_energy(seconds_between(set_.origin, group.begin),
                                             seconds_between(set_.origin, group.end));
    }
    return sum / executions;
  }

  Result<void> play_ours(ConvergenceLoad& load, int most) {
    ConvergenceCurve curve{.telling = Telling::truewatt};
    const load::Schedule once = execution_of(load.execution);
    for (int count = 1; count <= most; count *= 2) {
      say_progress(load, "truewatt", count);
      std::vector<double> errors;
      std::vector<double> half_widths;
      for (int trial = 0; trial < options_.trials; ++trial) {
        if (auto go_on = check_stop(); !go_on) return go_on;
        set_.clock->sleep_until(set_.clock->now() + to_nanoseconds(chance() * kChance));
        const auto measured = measure::measure_repeatedly(
            set_, once, environment_,
            {.measure = {.estimate = {.source = result_.source}}, .executions = count});
        if (!measured) return Unexpected(measured.error());
        const energy::EnergyEstimate& one = measured->run.devices.front();
        const auto half = energy::half_width_without_gain(one);
        if (!half || !one.truth) continue;
        errors.push_back(one.energy->interval.value / one.truth->value() - 1);
        true_j_ = one.truth->value();
        half_widths.push_back(*half);
      }
      if (errors.size() < 2) continue;
      curve.points.push_back(point_of(count, errors));
      curve.points.back().half_width = numerics::mean(half_widths);
    }
    load.curves.push_back(std::move(curve));
    return {};
  }

  /// What the source's own gain and offset make of the energy, as a share of it.
  double gain_error(Seconds execution) {
    const auto& sensors = device().simulated->description().sensors;
    const auto sensor = std::find_if(sensors.begin(), sensors.end(),
                                     [&](const auto& one) { return one.source == result_.source; });
    return sensor->model.gain - 1 + sensor->model.offset.value() * execution.count() / true_j_;
  }

  /// What the paper's practice reaches, and with how many executions ours does.
  void conclude(ConvergenceLoad& load) {
    const std::vector<ConvergencePoint>& ours = load.curves.back().points;
    const int delays = practice_.delay > Seconds(0) ? kDelays.back() : 0;
    const auto practice =
        std::find_if(load.curves.begin(), load.curves.end(), [&](const ConvergenceCurve& curve) {
          return curve.telling == Telling::corrected && curve.delays == delays;
        });
    if (practice == load.curves.end()) return;
    const int practised = measure::design_of(practice_, load.execution).executions;
    for (const ConvergencePoint& point : practice->points) {
      load.practice_executions = point.executions;
      load.practice_spread = point.spread;
      if (point.executions >= practised) break;
    }
    if (!load.practice_spread) return;
    load.needed = from_on(ours, [&](const ConvergencePoint& point) {
      return point.spread <= *load.practice_spread &&
             *point.half_width <= kCoverageFactor95 * *load.practice_spread;
    });
    const double gain = gain_error(load.execution);
    const auto is_within = [gain](const ConvergencePoint& point) {
      return std::abs(point.mean - gain) + kCoverageFactor95 * point.spread <= kClose &&
             point.half_width.value_or(0.0) <= kClose;
    };
    load.practice_within = from_on(practice->points, is_within);
    load.within = from_on(ours, is_within);
  }

  devices::DeviceSet& set_;
  const devices::Environment& environment_;
  const ConvergenceOptions& options_;
  ConvergenceCase& result_;
  int played_ = 0;  ///< executions, for the progress
  GoodPractice practice_;
  std::mt19937 chance_;
  double true_j_ = 1.0;  ///< of one execution of the last load
};

/// Those asked for; else instant and average readings, and where there are none the plain one,
/// which is one of them under another name.
std::vector<SourceKind> kinds_of(const Profile& profile, const std::vector<SourceKind>& wanted) {
  if (!wanted.empty()) return wanted;
  std::vector<SourceKind> kinds;
  for (const bool other_name : {false, true}) {
    for (const SourceKind kind : kKindsPolled) {
      if (row_of(kind).shows_another != other_name) continue;
      if (find_source(profile, {kind, Scope::gpu}) != nullptr) kinds.push_back(kind);
    }
    if (!kinds.empty()) break;
  }
  return kinds;
}

/// The cases of a characterized device.
std::vector<ConvergenceCase> cases_of(const Profile& profile,
                                      const std::vector<SourceKind>& kinds) {
  std::vector<ConvergenceCase> cases;
  for (const SourceProfile& source : profile.sources) {
    const bool named = std::find(kinds.begin(), kinds.end(), source.source.kind) != kinds.end();
    if (!named || source.source.scope != Scope::gpu || source.verdict == SourceVerdict::unusable) {
      continue;
    }
    if (!source.fitted || !source.update_period_s) continue;
    const ObservationModel model{
        .averaging_window = Seconds(std::max(0.0, source.fitted->averaging_window_s.value)),
        .time_constant = Seconds(std::max(0.0, source.fitted->time_constant_s.value))};
    cases.push_back({.source = source.source,
                     .looks = equivalent_window(model),
                     .period = Seconds(source.update_period_s->value)});
  }
  return cases;
}

/// The power readings that are known well enough; "none" where there are none.
std::string names_of_cases(const Profile& profile) {
  std::string names;
  for (const ConvergenceCase& one : cases_of(profile, {kKindsPolled.begin(), kKindsPolled.end()})) {
    names += (names.empty() ? "" : ", ") + std::string(to_string(one.source.kind));
  }
  return names.empty() ? "none" : names;
}

}  // namespace

Result<Convergence> run_convergence(devices::DeviceSet& set,
                                    const devices::Environment& environment,
                                    const ConvergenceOptions& options) {
  if (set.devices.size() != 1 || !set.simulated()) {
    return Unexpected(Error{Errc::invalid_argument,
                            "convergence needs one simulated device, whose true energy is known: "
                            "-d sim:a100 or -d sim:rtx3090"});
  }
  devices::Device& device = set.devices.front();
  std::vector<std::string> notes;
  if (device.known.profile) {
    notes = set.notes;
  } else {
    experiment::say(options.progress, std::nullopt,
                    "characterizing " + device.sensor->device().name);
    auto found = characterize::characterize(set, environment, {.seed = options.seed});
    if (!found) return Unexpected(found.error());
    device.known.profile = std::move(found->profile);
  }
  Convergence result{
      .tool_version = TRUEWATT_VERSION,
      .device = device.sensor->device().name,
      .trials = options.trials,
      .cases = cases_of(*device.known.profile, kinds_of(*device.known.profile, options.sources)),
      .notes = std::move(notes)};
  if (result.cases.empty()) {
    return Unexpected(Error{Errc::invalid_argument,
                            "no such power source of this device is known well enough; there are " +
                                names_of_cases(*device.known.profile)});
  }
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    ConvergenceOptions of_case = options;
    of_case.progress = experiment::part_of(options.progress, i, result.cases.size());
    const auto done = CaseStudy(set, environment, of_case, result.cases[i]).play();
    if (done) continue;
    result.interrupted = options.stop.stop_requested();
    if (!result.interrupted) return Unexpected(done.error());
    break;
  }
  std::erase_if(result.cases, [](const ConvergenceCase& one) { return one.loads.empty(); });
  return result;
}

}  // namespace truewatt::replication
