#include "truewatt/capture/source_poller.hpp"

#include <algorithm>

namespace truewatt::capture {
namespace {

/// After a failed call the source is left alone for this long.
constexpr Nanoseconds kAfterFailure = std::chrono::milliseconds(50);
/// So many predicted ticks without a new value, and the tick is learned again while it stays so.
constexpr int kMissedTicks = 20;
/// While learning, an expensive source is asked in this multiple of its own call's time.
constexpr int kLearningDuty = 4;
/// A source that shows nothing new for long is asked less often: after 5 s every 10 ms.
constexpr int kPatience = 500;

}  // namespace

SourcePoller::SourcePoller(SourceId source, const PollOptions& options)
    : source_(source), options_(options) {}

bool SourcePoller::is_expensive() const { return call_time_ > options_.expensive; }

std::optional<Sample> SourcePoller::on_value(HostTime begin, HostTime end, double value) {
  ++polls_;
  // The typical call: slow calls count little, one that refreshes a cache is an exception.
  const Nanoseconds took = end - begin;
  call_time_ = polls_ == 1 ? took : std::min(took, call_time_ + call_time_ / 8 + Nanoseconds(1));
  const HostTime before = value_ ? last_begin_ : begin;
  last_begin_ = begin;
  const bool first = !value_.has_value();
  const bool changed = first || value != *value_;
  value_ = value;
  if (pending_) {
    // The confirming poll: what it shows is the value that stays.
    pending_->value = value;
    const Sample done = *pending_;
    pending_.reset();
    plan_after_change(end);
    return done;
  }
  if (!changed) {
    plan_after_repeat(end);
    return std::nullopt;
  }
  last_change_ = end;
  if (!first) tracker_.add(before, end);
  const Sample sample{before, end, std::nullopt, value};
  // A counter has no second value, and asking an expensive source twice costs too much.
  if (counts_energy(source_) || is_expensive()) {
    plan_after_change(end);
    return sample;
  }
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
  return std::max({options_.learning, kLearningDuty * call_time_,
                   std::min<Nanoseconds>(quiet, 10 * options_.learning)});
}

HostTime SourcePoller::approach(HostTime end) const {
  // The last look before the tick must be over when the guard begins.
  return std::max(end, expected_->time - expected_->guard - call_time_);
}

void SourcePoller::plan_after_change(HostTime end) {
  missed_ = 0;
  if (options_.mode == PollMode::max) {
    next_poll_ = std::max(end, last_begin_ + options_.fastest);
    return;
  }
  // A tick that came a little early must not be waited for again.
  const auto period = tracker_.period();
  const Nanoseconds skip = period ? to_nanoseconds(*period * 0.4) : Nanoseconds(0);
  expected_ = tracker_.next_after(end + skip);
  next_poll_ = expected_ ? approach(end) : end + learning_step(end);
}

void SourcePoller::plan_after_repeat(HostTime end) {
  if (options_.mode == PollMode::max) {
    next_poll_ = std::max(end, last_begin_ + options_.fastest);
    return;
  }
  const Nanoseconds learning = learning_step(end);
  if (!expected_) {
    next_poll_ = end + learning;
    return;
  }
  const HostTime opens = expected_->time - expected_->guard;
  const HostTime closes = expected_->time + expected_->guard;
  if (end < opens) {
    next_poll_ = opens;
  } else if (is_expensive() && end < closes) {
    next_poll_ = closes;  // one look after the tick is enough
  } else if (end <= closes) {
    next_poll_ = end + options_.fine;
  } else {
    // Nothing new: an equal value was published, or the tick is late. Go on to the next one, but
    // look now and then: a value that shows up in between says that the grid is wrong.
    if (++missed_ >= kMissedTicks) {
      missed_ = 0;
      tracker_.forget();
      expected_.reset();
      next_poll_ = end + learning;
      return;
    }
    expected_ = tracker_.next_after(end + expected_->guard);
    next_poll_ = expected_ ? std::min(approach(end), end + to_nanoseconds(*tracker_.period() / 4))
                           : end + learning;
  }
}

void SourcePoller::on_failure(HostTime /*begin*/, HostTime end) {
  next_poll_ = end + kAfterFailure;
}

}  // namespace truewatt::capture
