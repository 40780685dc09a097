#include "truewatt/simgpu/board.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace truewatt::simgpu {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Event {
  enum class Kind { context_on, context_off, level, other, cap };
  double at = 0.0;
  Kind kind = Kind::level;
  double value = 0.0;
};

std::vector<Event> events_of(const std::vector<Play>& plays, const std::vector<Throttle>& throttles,
                             const std::vector<OtherWork>& others) {
  using Kind = Event::Kind;
  std::vector<Event> events;
  for (const Play& play : plays) {
    const double begin = play.steps.empty() ? play.end : play.steps.front().at;
    events.push_back({std::max(0.0, begin - play.lead), Kind::context_on, 0.0});
    for (const LevelStep& step : play.steps) events.push_back({step.at, Kind::level, step.level});
    events.push_back({play.end, Kind::level, 0.0});
    events.push_back({play.end + play.margin, Kind::context_off, 0.0});
  }
  for (const Throttle& throttle : throttles) {
    events.push_back({throttle.at.count(), Kind::cap, throttle.level_cap});
    events.push_back({(throttle.at + throttle.length).count(), Kind::cap, 1.0});
  }
  for (const OtherWork& work : others) {
    const double end = (work.at + work.length).count();
    events.push_back({work.at.count(), Kind::context_on, 0.0});
    events.push_back({work.at.count(), Kind::other, work.level});
    events.push_back({end, Kind::other, -work.level});
    events.push_back({end, Kind::context_off, 0.0});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
  return events;
}

/// Follows a board through the events and writes down its power.
class BoardWalk {
 public:
  explicit BoardWalk(const BoardDescription& board)
      : board_(board),
        target_(board.sleep.value()),
        signal_(board.sleep.value(),
                {positive(board.rise_time_constant), positive(board.overshoot_time_constant),
                 positive(board.drift_time_constant)}) {}

  void apply(const Event& event) {
    walk_stairs_until(event.at);
    switch (event.kind) {
      case Event::Kind::context_on:
        ++contexts_;
        break;
      case Event::Kind::context_off:
        --contexts_;
        break;
      case Event::Kind::level:
        played_ = event.value;
        set_level(event.at);
        break;
      case Event::Kind::other:
        others_ += event.value;
        set_level(event.at);
        break;
      case Event::Kind::cap:
        cap_ = event.value;
        break;
    }
    settle(event.at);
  }

  PowerSignal finish() && {
    walk_stairs_until(kNever);
    return std::move(signal_);
  }

 private:
  static double positive(Seconds tau) { return std::max(tau.count(), 1e-9); }

  void set_level(double at) {
    constexpr double kRounding = 1e-12;  // of the others' sum
    const double sum = played_ + others_;
    const double level = sum > kRounding ? std::min(sum, 1.0) : 0.0;
    const bool ends = level_ > 0 && level <= 0;
    level_ = level;
    if (level > 0) {
      stair_ = kActiveIdleSteps;
      next_stair_ = kNever;
    } else if (ends && active_idle() > board_.idle.value()) {
      stair_ = 0;
      next_stair_ = at + board_.active_idle_hold.count();
    }
  }

  void walk_stairs_until(double until) {
    while (next_stair_ < until) {
      const double at = next_stair_;
      ++stair_;
      next_stair_ = stair_ < kActiveIdleSteps ? at + board_.step_down.count() : kNever;
      settle(at);
    }
  }

  double active_idle() const { return board_.active_idle.value_or(board_.idle).value(); }

  double target() const {
    const double idle = board_.idle.value();
    const double level = std::min(level_, cap_);
    if (level > 0) return idle + level * (board_.max.value() - idle);
    if (stair_ < kActiveIdleSteps) {
      return active_idle() - (active_idle() - idle) * stair_ / kActiveIdleSteps;
    }
    return contexts_ > 0 ? idle : board_.sleep.value();
  }

  /// Begins a segment at `at` with the state as it is now.
  void settle(double at) {
    PowerSignal::Amplitudes now = signal_.amplitudes_at(at);
    const double drift = drift_target_ + now[2];
    const double target_now = target();
    const double step = target_now - target_;
    if (step > 0) {
      const double rise = board_.rise_time_constant.count() > 0 ? board_.rise_fraction : 0.0;
      now[0] -= rise * step;
      now[1] += board_.overshoot * step;
    } else if (step < 0) {
      now[0] = 0.0;
      now[1] = 0.0;
    }
    target_ = target_now;
    drift_target_ = board_.drift.value() * std::min(level_, cap_);
    now[2] = drift - drift_target_;
    signal_.append({.begin = at, .constant = target_ + drift_target_, .amplitudes = now});
  }

  const BoardDescription& board_;
  int contexts_ = 0;
  double played_ = 0.0;
  double others_ = 0.0;
  double level_ = 0.0;  ///< of both
  double cap_ = 1.0;
  double target_;
  double drift_target_ = 0.0;
  int stair_ = kActiveIdleSteps;
  double next_stair_ = kNever;
  PowerSignal signal_;
};

}  // namespace

PowerSignal board_power(const BoardDescription& board, const std::vector<Play>& plays,
                        const std::vector<Throttle>& throttles,
                        const std::vector<OtherWork>& others) {
  BoardWalk walk(board);
  for (const Event& event : events_of(plays, throttles, others)) walk.apply(event);
  return std::move(walk).finish();
}

PowerSignal board_activity(const std::vector<Play>& plays, const std::vector<Throttle>& throttles,
                           const std::vector<OtherWork>& others) {
  BoardDescription nominal;
  nominal.sleep = nominal.idle = Watts(0);
  nominal.max = Watts(1);
  return board_power(nominal, plays, throttles, others);
}

Activity activity_at(const std::vector<Play>& plays, const std::vector<Throttle>& throttles,
                     double t, const std::vector<OtherWork>& others) {
  Activity activity;
  for (const Play& play : plays) {
    if (play.steps.empty()) continue;
    if (t < play.steps.front().at - play.lead || t >= play.end + play.margin) continue;
    activity.context = true;
    if (t >= play.end || t < play.steps.front().at) continue;
    const auto after =
        std::upper_bound(play.steps.begin(), play.steps.end(), t,
                         [](double time, const LevelStep& step) { return time < step.at; });
    activity.level = std::prev(after)->level;
    activity.clock_share = std::prev(after)->clock_share;
  }
  for (const OtherWork& work : others) {
    if (t < work.at.count() || t >= (work.at + work.length).count()) continue;
    activity.context = true;
    activity.level = std::min(activity.level + work.level, 1.0);
  }
  for (const Throttle& throttle : throttles) {
    if (t < throttle.at.count() || t >= (throttle.at + throttle.length).count()) continue;
    activity.throttled = activity.level > throttle.level_cap;
    activity.level = std::min(activity.level, throttle.level_cap);
  }
  return activity;
}

}  // namespace truewatt::simgpu
