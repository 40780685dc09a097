#include "truewatt/study/characterization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/base/format.hpp"
#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/play.hpp"
#include "truewatt/study/cached_sources.hpp"
#include "truewatt/study/conclusions.hpp"
#include "truewatt/study/experiment.hpp"
#include "truewatt/study/level_findings.hpp"
#include "truewatt/study/limited_clocks.hpp"
#include "truewatt/study/round_design.hpp"
#include "truewatt/study/scope_findings.hpp"
#include "truewatt/study/session.hpp"
#include "truewatt/study/steadiness.hpp"
#include "truewatt/study/warm_up.hpp"

namespace truewatt::study {
namespace {

using namespace std::chrono_literals;
using identification::Work;

/// Idle before the first load: its margin, and a little.
constexpr Nanoseconds kLeadIn = 1200ms;
constexpr Nanoseconds kBetweenLoads = 300ms;
constexpr Nanoseconds kTail = 1200ms;
/// Real loads need a moment to begin.
constexpr Nanoseconds kBetweenPieces = 50ms;
/// What real loads may take longer than planned, over a round.
constexpr Nanoseconds kLateLoads = 200ms;
/// One round of random work; the last one takes what is left of the budget.
constexpr Seconds kRound{16.0};
constexpr Seconds kShortestRound{5.0};
constexpr int kStepsPerRound = 1;
/// Below that, the steps of other levels would cost too much of what is left of the budget.
constexpr Seconds kLeastForLevels{30.0};
constexpr double kSlowestForLevels = 0.2;  // s; time constant
/// Fewer readings may agree on a wrong update period, and hardly show levels.
constexpr std::size_t kEnoughReadings = 100;
/// Standard uncertainties by which a drift must be beyond doubt to be worth a warm-up.
constexpr double kSureOfDrift = 3.0;
/// What the CPU's own sources take of the budget.
constexpr double kCpuTimeShare = 0.25;

bool needs_no_more(const CharacterizedSource& source) {
  const bool enough = !source.fit || source.readings.size() >= kEnoughReadings;
  return enough && is_resolved(source, kWellResolved);
}

/// Plays rounds on one device and keeps what is known so far.
class Rounds {
 public:
  Rounds(DeviceSet& set, load::Load& load, capture::Capture& capture,
         const CharacterizeOptions& options)
      : load_(load),
        capture_(capture),
        clock_(*set.clock),
        options_(options),
        rng_(options.seed),
        began_(clock_.now()) {}

  Result<void> run() {
    say(options_.progress, 0.0, "looking for the update periods");
    if (auto played = play(scout_schedule(rng_), began_ + kLeadIn); !played) return played;
    bool levels = false;
    for (int round = 0; !options_.stop.stop_requested() && left() >= kShortestRound; ++round) {
      fit_so_far();
      if (round == 0) {
        if (auto warmed = be_steady(); !warmed) return warmed;
      }
      if (round > 0 && all_resolved()) break;
      if (round == 0 && left() >= kLeastForLevels && forget_soon()) {
        auto played = play(level_schedule(rng_), clock_.now() + kBetweenLoads);
        if (!played) return played;
        levels = true;
      }
      const Seconds length = left() < kRound + kShortestRound ? left() : kRound;
      say_how_far();
      const RandomWork kind = best_kind(sources_, options_.seed);
      // The steps of other levels take the place of a full one.
      const int steps = levels && round == 0 && !warmed_ ? 0 : kStepsPerRound;
      auto played = play(random_schedule(kind, length, steps, rng_), clock_.now() + kBetweenLoads);
      if (!played) return played;
    }
    capture_.run_until(clock_.now() + kTail, options_.stop);
    return {};
  }

  /// Fits what was recorded so far: of sources that are known well, once more at the end.
  void fit_so_far() { fit(capture_.so_far().front(), false); }
  void fit_all(const Recording& recording) { fit(recording, true); }

  HostTime origin() const { return origin_; }
  const std::vector<ActivityInterval>& activity() const { return activity_; }
  std::vector<Work> work() const { return work_; }
  /// When the board was warmed up, for the recording.
  std::vector<CaptureEvent> events() const {
    if (!warmed_) return {};
    return {{warmed_->begin, std::string(kWarmUpBegan), "the board's power still changed"},
            {warmed_->end, std::string(kWarmUpEnded), "readings from here on are fitted"}};
  }
  std::vector<CharacterizedSource>& sources() { return sources_; }

 private:
  void fit(const Recording& recording, bool all) {
    const std::vector<CharacterizedSource> earlier = std::exchange(sources_, {});
    // The scout's few edges may have led into a wrong minimum: the round after it searches again.
    const bool search = fits_++ < 2;
    origin_ = began_;
    for (const Trace& trace : recording.traces) {
      if (!trace.samples.empty()) origin_ = std::min(origin_, trace.samples.front().before);
    }
    Recording known;
    known.activity = activity_;
    const auto levels =
        identification::work_of_levels(known, origin_).value_or(std::vector<Work>());
    work_ = with_heights(levels, heights_);
    double from = work_.empty() ? 0.0 : work_.front().begin + kSettled;
    if (warmed_) from = seconds_between(origin_, warmed_->end);
    const std::vector<Work> limited = limited_stretches(recording, origin_);
    for (const Trace& whole : recording.traces) {
      if (whole.source.scope == Scope::cpu) continue;  // a GPU's work does not tell
      const Trace trace = limited.empty() ? whole : without(whole, limited, origin_);
      const std::size_t i = sources_.size();
      const bool follow = !search && i < earlier.size();
      if (follow && !all && needs_no_more(earlier[i])) {
        sources_.push_back(earlier[i]);
        continue;
      }
      sources_.push_back(
          characterize_source(trace, origin_, work_, from, follow ? &earlier[i] : nullptr));
    }
    heights_ = add_level_findings(sources_, levels);
  }

  /// A source as it is known, with everything that it showed of the work so far.
  CharacterizedSource up_to_now(std::size_t i) const {
    CharacterizedSource source = sources_[i];
    const Recording recording = capture_.so_far().front();
    const Trace* trace = find_trace(recording, source.profile.source);
    if (trace) source.readings = readings_of_work(*trace, origin_, work_so_far(), source);
    return source;
  }
  std::vector<Work> work_so_far() const {
    Recording known;
    known.activity = activity_;
    return identification::work_of_levels(known, origin_).value_or(std::vector<Work>());
  }

  /// Warms the board up where its power would change too much in what is left of the budget.
  Result<void> be_steady() {
    std::vector<CharacterizedSource> read;
    for (std::size_t i = 0; i < sources_.size(); ++i) read.push_back(up_to_now(i));
    const auto known = best_known_drift(read, work_);
    if (!known || !is_unsteady(known->drift, left(), kSureOfDrift)) return {};
    const Seconds most = std::min(kWarmUpShare * options_.budget, left() - kShortestRound);
    say(options_.progress, std::nullopt, "warming up");
    warmed_ = Window{clock_.now(), clock_.now(), "warm-up"};
    bool played = false;
    auto warmed = warm_up(
        {.work =
             [&](const load::Schedule& piece) {
               played = true;
               return play(piece, clock_.now() + kBetweenPieces);
             },
         .rest =
             [&](Seconds length) {
               played = true;
               capture_.run_until(clock_.now() + std::chrono::duration_cast<Nanoseconds>(length),
                                  options_.stop);
             },
         .warmth =
             [this, known] {
               const CharacterizedSource source = up_to_now(known->source);
               const std::vector<Work> work = work_so_far();
               return identification::fit_warmth({source.readings, work}, source.fit->joint,
                                                 seconds_between(origin_, clock_.now()));
             },
         .stopped = [this] { return options_.stop.stop_requested(); }},
        most, rng_);
    warmed_->end = clock_.now();
    if (!played) warmed_.reset();
    return warmed;
  }

  Result<void> play(const load::Schedule& schedule, HostTime begin) {
    auto executions = capture::play_together({&load_}, schedule, begin, clock_, options_.stop,
                                             [this] { say_how_far(); });
    if (!executions.front()) return Unexpected(executions.front().error());
    const load::Execution& execution = *executions.front();
    activity_.insert(activity_.end(), execution.activity.begin(), execution.activity.end());
    capture_.run_until(execution.end, options_.stop);
    return {};
  }

  Seconds left() const {
    return options_.budget - Seconds(clock_.now() - began_) -
           Seconds(kTail + kBetweenLoads + kLateLoads);
  }
  bool all_resolved() const { return std::all_of(sources_.begin(), sources_.end(), needs_no_more); }
  /// Slow sources would mix steps of unknown height into too much of what follows.
  bool forget_soon() const {
    return std::all_of(sources_.begin(), sources_.end(), [](const CharacterizedSource& source) {
      if (!source.fit) return true;
      const auto& p = source.fit->joint.parameters;
      const bool lags = source.fit->joint.structure.lag;
      return !lags || std::exp(p[identification::kLogLag]) <= kSlowestForLevels;
    });
  }
  void say_how_far() const {
    const Seconds spent(clock_.now() - began_);
    say(options_.progress, std::min(spent / options_.budget, 1.0),
        fmt::format("{:.0f} of at most {:.0f} s", spent.count(), options_.budget.count()));
  }

  load::Load& load_;
  capture::Capture& capture_;
  Clock& clock_;
  const CharacterizeOptions& options_;
  std::mt19937_64 rng_;
  HostTime began_;
  HostTime origin_;
  std::vector<ActivityInterval> activity_;
  std::vector<Work> work_;
  std::vector<CharacterizedSource> sources_;
  LevelHeights heights_;
  int fits_ = 0;
  std::optional<Window> warmed_;
};

bool wants_scopes(const DeviceSet& set, const CharacterizeOptions& options) {
  const bool superchip = covers(set, Scope::module) || covers(set, Scope::cpu);
  return options.scopes.value_or(superchip) && options.budget >= kLeastScopeBudget;
}

/// The host's sockets that answer, to be polled beside a real device.
std::vector<std::unique_ptr<sensor::PowerSensor>> host_beside(const DeviceSet& set,
                                                              const Environment& environment,
                                                              const CharacterizeOptions& options) {
  if (set.simulated() || !wants_scopes(set, options)) return {};
  auto sensors = open_host_sensors(environment);
  std::erase_if(sensors,
                [](const auto& sensor) { return sensor::answering_sources(*sensor).empty(); });
  return sensors;
}

/// Compares CPU and GPU work where that is wanted; what is left of the budget is in `options` then.
Result<std::optional<ScopeExperiment>> compare_scopes(DeviceSet& set, load::Load& gpu,
                                                      capture::Capture& capture, bool has_host,
                                                      CharacterizeOptions& options) {
  if (!wants_scopes(set, options)) return std::optional<ScopeExperiment>();
  const HostTime began = set.clock->now();
  auto experiment = play_scope_experiment(
      set, gpu, capture,
      {.cpu_time =
           has_host || covers(set, Scope::cpu) ? kCpuTimeShare * options.budget : Seconds(0),
       .seed = options.seed,
       .progress = options.progress,
       .stop = options.stop});
  if (!experiment) return Unexpected(experiment.error());
  options.budget -= Seconds(set.clock->now() - began);
  return std::optional(std::move(*experiment));
}

/// The CPU's sources, and what each source answers to CPU and to GPU work.
void add_scopes(Characterization& result, const std::optional<ScopeExperiment>& experiment) {
  for (const Trace& trace : result.recording.traces) {
    if (trace.source.scope != Scope::cpu) continue;
    result.sources.push_back(characterize_cpu_source(trace, result.origin, experiment));
  }
  if (!experiment) return;
  add_scope_findings(*experiment, result.recording, result.origin, result.sources);
  result.notes.insert(result.notes.end(), experiment->notes.begin(), experiment->notes.end());
}

}  // namespace

Result<Characterization> characterize(DeviceSet& set, const Environment& environment,
                                      const CharacterizeOptions& asked) {
  CharacterizeOptions options = asked;
  std::mt19937_64 rng(options.seed);
  auto loads = prepare_loads(set, scout_schedule(rng), environment, options.progress);
  if (!loads) return Unexpected(loads.error());
  Clock& clock = *set.clock;
  auto recorder = make_recorder(options.out, options.metadata, clock.is_virtual());
  if (!recorder) return Unexpected(recorder.error());
  const auto host = host_beside(set, environment, options);
  auto sensors = sensors_of(set);
  for (const auto& socket : host) sensors.push_back(socket.get());
  capture::Capture capture(sensors, clock, *recorder, options.polling);
  capture.attend(clock.now(), HostTime::max());
  capture.start();
  const HostTime began = clock.now();
  auto scopes = compare_scopes(set, *loads->all.front(), capture, !host.empty(), options);
  if (!scopes) return Unexpected(scopes.error());
  Rounds rounds(set, *loads->all.front(), capture, options);
  const auto ran = rounds.run();
  capture.stop();
  if (*scopes) recorder->add_activity(0, (*scopes)->gpu);
  recorder->add_activity(0, rounds.activity());
  if (*scopes) recorder->add_activity(0, (*scopes)->cpu);
  record_circumstances(*set.devices.front().sensor, *loads->all.front(), began, *recorder);
  for (CaptureEvent& event : rounds.events()) recorder->apply({0, std::move(event)});
  recorder->finish();
  if (!ran) return Unexpected(ran.error());

  say(options.progress, 1.0, "fitting");
  Characterization result;
  result.recording = recorder->recordings().front();
  result.file_error = recorder->write_error();
  result.profile.device = result.recording.device;
  result.profile.duration_s = Seconds(clock.now() - began).count();
  result.profile.created = format_utc(clock.realtime_now());
  rounds.fit_all(result.recording);
  result.origin = rounds.origin();
  result.work = rounds.work();
  result.sources = std::move(rounds.sources());
  allow_for_held_readings(result.sources, result.work);
  result.notes = set.devices.front().sensor->notes();
  add_scopes(result, *scopes);
  if (!clock.is_virtual()) allow_for_host_clock(result);
  for (const CharacterizedSource& source : result.sources) {
    result.profile.sources.push_back(source.profile);
  }
  for (std::size_t i = 1; *scopes && i < recorder->recordings().size(); ++i) {
    result.profile.host.push_back(
        characterize_host(recorder->recordings()[i], result.origin, **scopes));
  }
  add_refused(result.profile, result.recording);
  conclude(result);
  if (options.stop.stop_requested()) add_reason(result.profile, "interrupted");
  return result;
}

}  // namespace truewatt::study
