#include "truewatt/characterize/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/characterize/round_design.hpp"
#include "truewatt/characterize/schedules.hpp"
#include "truewatt/characterize/warm_up.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/identification/profile/limited_clocks.hpp"
#include "truewatt/identification/profile/steadiness.hpp"

namespace truewatt::characterize {
namespace {

using namespace std::chrono_literals;
using identification::Work;

constexpr Nanoseconds kBetweenLoads = 300ms;
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

bool needs_no_more(const identification::CharacterizedSource& source) {
  const bool enough = !source.fit || source.readings.size() >= kEnoughReadings;
  return enough && identification::is_resolved(source, kWellResolved);
}

}  // namespace

Rounds::Rounds(experiment::Session& session, load::Load& load, const CharacterizeOptions& options)
    : load_(load),
      session_(session),
      clock_(session.clock()),
      options_(options),
      rng_(options.seed),
      began_(clock_.now()) {}

Result<void> Rounds::run() {
  experiment::say(options_.progress, 0.0, "looking for the update periods");
  if (auto played = play(scout_schedule(rng_), began_ + kRecordedIdle); !played) return played;
  bool levels = false;
  for (int round = 0; !options_.stop.stop_requested() && left() >= kShortestRound; ++round) {
    fit(session_.capture().so_far().front(), false);
    if (round == 0) {
      if (auto warmed = be_steady(); !warmed) return warmed;
      levels = left() >= kLeastForLevels && forget_soon();
    }
    if (round > 0 && all_resolved()) break;
    if (round == 0 && levels) {
      auto played = play(level_schedule(rng_), clock_.now() + kBetweenLoads);
      if (!played) return played;
    }
    const Seconds length = left() < kRound + kShortestRound ? left() : kRound;
    say_how_far();
    const RandomWork kind = best_kind(sources_, options_.seed);
    // The steps of other levels take the place of a full one.
    const int steps = levels && round == 0 && !warmed_ ? 0 : kStepsPerRound;
    auto played = play(random_schedule(kind, length, steps, rng_), clock_.now() + kBetweenLoads);
    if (!played) return played;
  }
  session_.record_until(clock_.now() + kRecordedIdle);
  return {};
}

std::vector<CaptureEvent> Rounds::events() const {
  if (!warmed_) return {};
  return {{warmed_->begin, EventKind::warm_up_began, "the board's power still changed"},
          {warmed_->end, EventKind::warm_up_ended, "readings from here on are fitted"}};
}

void Rounds::fit(const Recording& recording, bool all) {
  const std::vector<identification::CharacterizedSource> earlier = std::exchange(sources_, {});
  // The scout's few edges may have led into a wrong minimum: the round after it searches again.
  const bool search = fits_++ < 2;
  origin_ = began_;
  for (const Trace& trace : recording.traces) {
    if (!trace.samples.empty()) origin_ = std::min(origin_, trace.samples.front().before);
  }
  const std::vector<Work> levels = work_so_far();
  work_ = identification::with_heights(levels, heights_);
  double from = work_.empty() ? 0.0 : work_.front().begin + identification::kSettled;
  if (warmed_) from = seconds_between(origin_, warmed_->end);
  const std::vector<Work> limited = identification::limited_stretches(recording, origin_);
  for (const Trace& whole : recording.traces) {
    if (whole.source.scope == Scope::cpu) continue;  // a GPU's work does not tell
    const Trace trace = limited.empty() ? whole : identification::without(whole, limited, origin_);
    const std::size_t i = sources_.size();
    const bool follow = !search && i < earlier.size();
    if (follow && !all && needs_no_more(earlier[i])) {
      sources_.push_back(earlier[i]);
      continue;
    }
    sources_.push_back(identification::characterize_source(trace, origin_, work_, from,
                                                           follow ? &earlier[i] : nullptr));
  }
  heights_ = identification::add_level_findings(sources_, levels);
}

identification::CharacterizedSource Rounds::up_to_now(std::size_t i) const {
  identification::CharacterizedSource source = sources_[i];
  const Recording recording = session_.capture().so_far().front();
  const Trace* trace = find_trace(recording, source.profile.source);
  if (trace)
    source.readings = identification::readings_of_work(*trace, origin_, work_so_far(), source);
  return source;
}

std::vector<Work> Rounds::work_so_far() const {
  Recording known;
  known.activity = activity_;
  return identification::work_of_levels(known, origin_).value_or(std::vector<Work>());
}

Result<void> Rounds::be_steady() {
  std::vector<identification::CharacterizedSource> read;
  for (std::size_t i = 0; i < sources_.size(); ++i) read.push_back(up_to_now(i));
  const auto known = identification::best_known_drift(read, work_);
  if (!known || !identification::is_unsteady(known->drift, left(), kSureOfDrift)) return {};
  experiment::say(options_.progress, std::nullopt, "warming up");
  const HostTime begin = clock_.now();
  bool played = false;
  const WarmUpSteps steps{
      .work =
          [&](const load::Schedule& piece) {
            played = true;
            return play(piece, clock_.now() + kBetweenPieces);
          },
      .rest =
          [&](Seconds length) {
            played = true;
            session_.record_until(clock_.now() + std::chrono::duration_cast<Nanoseconds>(length));
          },
      .warmth =
          [&] {
            const identification::CharacterizedSource source = up_to_now(known->source);
            const std::vector<Work> work = work_so_far();
            return identification::fit_warmth({source.readings, work}, source.fit->joint,
                                              seconds_between(origin_, clock_.now()));
          },
      .stopped = [&] { return options_.stop.stop_requested(); }};
  const Seconds most = std::min(kWarmUpShare * options_.budget, left() - kShortestRound);
  auto warmed = warm_up(steps, most, rng_);
  if (played) warmed_ = Window{begin, clock_.now(), "warm-up"};
  return warmed;
}

Result<void> Rounds::play(const load::Schedule& schedule, HostTime begin) {
  const auto executions =
      session_.play_out({{&load_, &schedule}}, begin, [this] { say_how_far(); });
  if (!executions) return Unexpected(executions.error());
  const load::Execution& execution = executions->front();
  activity_.insert(activity_.end(), execution.activity.begin(), execution.activity.end());
  return {};
}

Seconds Rounds::left() const {
  return options_.budget - Seconds(clock_.now() - began_) -
         Seconds(kRecordedIdle + kBetweenLoads + kLateLoads);
}

bool Rounds::all_resolved() const {
  return std::all_of(sources_.begin(), sources_.end(), needs_no_more);
}

bool Rounds::forget_soon() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const identification::CharacterizedSource& source) {
                       if (!source.fit) return true;
                       const auto& p = source.fit->joint.parameters;
                       const bool lags = source.fit->joint.structure.lag;
                       return !lags || std::exp(p[identification::kLogLag]) <= kSlowestForLevels;
                     });
}

void Rounds::say_how_far() const {
  const Seconds spent(clock_.now() - began_);
  experiment::say(
      options_.progress, std::min(spent / options_.budget, 1.0),
      fmt::format("{:.0f} of at most {:.0f} s", spent.count(), options_.budget.count()));
}

}  // namespace truewatt::characterize
