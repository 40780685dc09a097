#include "truewatt/capture/source_poller.hpp"

#include <algorithm>
#include <utility>

namespace truewatt::capture {
namespace {

/// After a failed call the source is left alone for this long.
constexpr Nanoseconds kAfterFailure = std::chrono::milliseconds(50);
/// So many predicted ticks without a new value, and the tick is learned again while it stays so.
constexpr int kMissedTicks = 20;
/// A tick that came early in a bracket wider than this share of the period hardly tells when.
constexpr double kLostShare = 0.25;
/// A second value that a client's cache shows right after the first comes within this.
constexpr Nanoseconds kAtOnce = std::chrono::milliseconds(2);
/// While learning, an expensive source is asked in this multiple of its own call's time.
constexpr int kLearningDuty = 8;
/// ... but no more than this apart, or twice the call's time: steps that are not much shorter than
/// the update period (0.1 s) are answered by a false one.
constexpr Nanoseconds kCoarse = std::chrono::milliseconds(20);
/// Longer calls count up to half more than the longest so far, and are forgotten by a sixteenth a
/// call.
Nanoseconds longest_of(Nanoseconds longest, Nanoseconds now) {
  if (longest.count() > 0) now = std::min(now, longest + longest / 2);
  return std::max(now, longest - longest / 16);
}

/// A source that shows nothing new for long is asked less often: after 5 s every 10 ms.
constexpr int kPatience = 500;

/// Follows a typical duration: down at once, up slowly, so that exceptions hardly count. 0 stands
/// for not known yet, so what takes no time (virtual clocks) counts as the shortest there is.
Nanoseconds smoothed(Nanoseconds typical, Nanoseconds now) {
  constexpr Nanoseconds kShortest(1);
  if (typical.count() > 0) now = std::min(now, typical + typical / 8 + kShortest);
  return std::max(now, kShortest);
}

}  // namespace

SourcePoller::SourcePoller(SourceId source, const PollOptions& options)
    : source_(source), options_(options) {}

bool SourcePoller::is_expensive() const { return call_time_ > options_.expensive; }
bool SourcePoller::is_even() const { return options_.mode == PollMode::evenly; }

std::optional<Sample> SourcePoller::on_value(HostTime begin, HostTime end, double value) {
  ++polls_;
  // A call that refreshes a cache is an exception.
  call_time_ = smoothed(call_time_, end - begin);
  longest_call_ = longest_of(longest_call_, end - begin);
  spent_ += end - begin;
  between_ticks_ = false;
  const HostTime before = value_ ? last_begin_ : begin;
  last_begin_ = begin;
  const bool first = !value_.has_value();
  const bool changed = first || value != *value_;
  value_ = value;
  if (pending_ && changed && begin - pending_->seen > kAtOnce) {
    // We lost the processor in between: another publication, to be confirmed in its turn.
    last_change_ = end;
    bracket_ = end - before;
    tracker_.add(before, end);
    next_poll_ = end;
    return std::exchange(pending_, Sample{before, end, std::nullopt, value, end - begin});
  }
  if (pending_) {
    // The confirming poll: what it shows is the value that stays.
    pending_->value = value;
    const Sample done = *pending_;
    pending_.reset();
    std::exchange(loose_, false) ? plan_after_rest(end) : plan_after_change(end);
    return done;
  }
  const bool after_rest = std::exchange(resting_, false);
  if (!changed) {
    after_rest ? plan_after_rest(end) : plan_after_repeat(end);
    return std::nullopt;
  }
  last_change_ = end;
  bracket_ = end - before;
  early_ = expected_ && begin < expected_->time - expected_->guard;
  if (!first && !after_rest) tracker_.add(before, end);
  const Sample sample{before, end, std::nullopt, value, end - begin};
  // A counter has no second value, and asking an expensive source twice costs too much. Who asks
  // evenly does so without regard to caches.
  const bool confirm = !counts_energy(source_) && !is_expensive() && !is_even();
  if (!confirm) {
    after_rest ? plan_after_rest(end) : plan_after_change(end);
    return sample;
  }
  loose_ = after_rest;
  pending_ = sample;
  next_poll_ = end;
  return std::nullopt;
}

std::optional<Sample> SourcePoller::flush() {
  auto last = pending_;
  pending_.reset();
  return last;
}

Nanoseconds SourcePoller::learning_step(HostTime end) const {
  const Nanoseconds quiet = (end - last_change_) / kPatience;
  // Ticks that are no more than a step or two apart would be taken for others.
  const Nanoseconds own = std::min(kLearningDuty * call_time_, std::max(2 * call_time_, kCoarse));
  return std::max({options_.learning, own, std::min<Nanoseconds>(quiet, 10 * options_.learning)});
}

HostTime SourcePoller::approach(HostTime end) const {
  // The last look before the tick must be over when the guard begins.
  return std::max(end, expected_->time - expected_->guard - call_time_ - dither_);
}

void SourcePoller::end_search() {
  // A look that begins a short call's time before the tick binds its phase best if the call is
  // short, and meets the tick if it is not; a long call's time before it does neither.
  const Nanoseconds most = is_expensive() ? longest_call_ - call_time_ : options_.fine;
  dither_ = Nanoseconds(static_cast<std::int64_t>(
      random_() % static_cast<std::uint64_t>(std::max<std::int64_t>(1, most.count()))));
  tick_cost_ = smoothed(tick_cost_, spent_);
  spent_ = Nanoseconds(0);
  between_ticks_ = expected_.has_value();
}

void SourcePoller::rest_until(HostTime until) {
  resting_ = true;
  expected_ = tracker_.next_after(until);
  next_poll_ = expected_ ? approach(until) : until;
}

void SourcePoller::wake(HostTime now) {
  if (resting_) next_poll_ = std::min(next_poll_, now);
}

std::optional<HostTime> SourcePoller::resting_since() const {
  return resting_ ? std::optional(last_begin_) : std::nullopt;
}

void SourcePoller::plan_after_rest(HostTime end) {
  expected_ = tracker_.next_after(end);
  const bool was_approach = expected_ && approach(end) < end + call_time_;
  if (was_approach) return plan_after_repeat(end);
  next_poll_ = expected_ ? approach(end) : end + learning_step(end);
}

void SourcePoller::plan_after_change(HostTime end) {
  missed_ = 0;
  if (is_even()) {
    next_poll_ = end + options_.even;
    return;
  }
  if (options_.mode == PollMode::max) {
    next_poll_ = end > last_begin_ ? end : end + options_.fastest;
    return;
  }
  // A tick that came a little early must not be waited for again.
  const auto period = tracker_.period();
  if (early_ && period && Seconds(bracket_) > kLostShare * *period) {
    // It was there before it was expected: the grid is off, find the next tick evenly.
    expected_.reset();
    next_poll_ = end + learning_step(end);
    return;
  }
  const Nanoseconds skip = period ? to_nanoseconds(*period * 0.4) : Nanoseconds(0);
  expected_ = tracker_.next_after(end + skip);
  next_poll_ = expected_ ? approach(end) : end + learning_step(end);
  end_search();
}

void SourcePoller::plan_after_repeat(HostTime end) {
  if (is_even()) {
    next_poll_ = end + options_.even;
    return;
  }
  if (options_.mode == PollMode::max) {
    next_poll_ = end > last_begin_ ? end : end + options_.fastest;
    return;
  }
  if (!expected_) {
    next_poll_ = end + learning_step(end);
    return;
  }
  const HostTime opens = expected_->time - expected_->guard;
  const HostTime closes = expected_->time + expected_->guard;
  const HostTime halves = expected_->time - call_time_ / 2;
  if (is_expensive() && end < closes) {
    // One look after the tick is enough. While the tick is known badly, a look in the middle of its
    // guard tells in which half it falls; brackets that lie around it evenly would tell nothing.
    const bool known_badly = expected_->guard > call_time_;
    next_poll_ = known_badly && end < halves ? halves : closes;
  } else if (end + options_.fine < opens) {
    next_poll_ = opens - dither_;
  } else if (end <= closes) {
    next_poll_ = end + options_.fine;
  } else {
    plan_after_miss(end);
  }
}

void SourcePoller::plan_after_miss(HostTime end) {
  const bool give_up = ++missed_ >= kMissedTicks;
  if (give_up) tracker_.forget();
  // What an expensive source counts always changes: its grid must be off, and is found again by
  // looking evenly.
  if (give_up || is_expensive()) {
    missed_ = give_up ? 0 : missed_;
    expected_.reset();
    next_poll_ = end + learning_step(end);
    return;
  }
  // An equal value was published, or the tick is late. Go on to the next one, but look now and
  // then: a value that shows up in between says that the grid is wrong.
  expected_ = tracker_.next_after(end + expected_->guard);
  next_poll_ = expected_ ? std::min(approach(end), end + to_nanoseconds(*tracker_.period() / 4))
                         : end + learning_step(end);
  end_search();
}

std::optional<Sample> SourcePoller::on_failure(HostTime /*begin*/, HostTime end) {
  next_poll_ = end + kAfterFailure;
  return flush();
}

}  // namespace truewatt::capture
