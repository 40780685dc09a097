#include "truewatt/capture/device_sampler.hpp"

#include <algorithm>
#include <utility>

namespace truewatt::capture {
namespace {

constexpr SourceId kRing{SourceKind::power_samples, Scope::gpu};
/// Drained this often until its length is known, then five times per two lengths, about once a
/// second at most: an H200's ring holds 2.36 s.
constexpr Nanoseconds kFirstDrain = std::chrono::milliseconds(200);
constexpr Nanoseconds kSlowestDrain = std::chrono::milliseconds(950);
/// Two times of one publication, by the clock before and after it was set, agree to this.
constexpr Nanoseconds kSamePublication = std::chrono::milliseconds(1);
constexpr Nanoseconds kQuickestDrain = std::chrono::milliseconds(10);
/// A pair of clocks is read again (so often) when it took longer than this.
constexpr Nanoseconds kWidePair = std::chrono::microseconds(200);
constexpr int kPairTries = 3;
/// NTP slews by less than this between two pairs; what goes beyond it was a step.
constexpr Nanoseconds kRealtimeSlew = std::chrono::milliseconds(10);
/// Where health costs less than a per mille of a core, clock limits are looked at ten times a
/// second, and stored when they change.
constexpr Nanoseconds kHealthOften = std::chrono::milliseconds(100);
constexpr Nanoseconds kCheapHealth = std::chrono::microseconds(100);
constexpr Nanoseconds kSecond = std::chrono::seconds(1);
constexpr Nanoseconds kLongestRest = std::chrono::seconds(10);
/// From tick to tick that is read: more says hardly more of a course of power beside the readings
/// of other sources.
constexpr Seconds kCounterTicks{1.0};
/// What a plain poller would have shown is to be told too. So power sources do not rest at first,
/// later for no more than a second or this share of the time since the start, and the one that such
/// a poller reads never longer than this.
constexpr int kPowerRestsShare = 10;
constexpr Nanoseconds kLeastPowerRest = std::chrono::seconds(1);
constexpr Nanoseconds kLongestPlainRest = std::chrono::seconds(2);
constexpr Nanoseconds kPowerAtFirst = std::chrono::seconds(5);

}  // namespace

DeviceSampler::DeviceSampler(sensor::PowerSensor& sensor, Clock& clock, SampleSink& sink,
                             const Attention& attention, const PollOptions& options)
    : sensor_(sensor), clock_(clock), sink_(sink), attention_(attention), options_(options) {
  for (const SourceId source : sensor::answering_sources(sensor)) {
    if (comes_in_ring(source)) {
      has_ring_ = source == kRing;
    } else {
      pollers_.emplace_back(source, options);
      has_counter_ = has_counter_ || counts_energy(source);
    }
  }
}

void DeviceSampler::begin() {
  began_ = clock_.now();
  take_clock_pair();
  for (SourcePoller& poller : pollers_) poll(poller);
  if (has_ring_) drain();
  once_a_second(clock_.now());
}

HostTime DeviceSampler::next_due() const {
  HostTime due = std::min(next_second_, next_health_);
  if (has_ring_) due = std::min(due, next_drain_);
  bool any_rests = false;
  for (const SourcePoller& poller : pollers_) {
    due = std::min(due, poller.next_poll());
    any_rests = any_rests || poller.resting_since();
  }
  if (!any_rests) return due;
  const auto attend = attention_.next_after(clock_.now());
  return attend ? std::min(due, *attend) : due;
}

bool DeviceSampler::step(HostTime until) {
  if (lost_) return false;
  const HostTime due = std::min(next_due(), until);
  clock_.sleep_until(due);
  poll_due(clock_.now());
  return !lost_;
}

bool DeviceSampler::may_rest(const SourcePoller& poller) const {
  return options_.mode == PollMode::ticks && poller.tick_cost() > options_.expensive &&
         (counts_energy(poller.source()) || has_ring_ || has_counter_);
}

void DeviceSampler::consider_rest(SourcePoller& poller, HostTime now) {
  if (!poller.is_between_ticks() || !may_rest(poller) || attention_.covers(now)) return;
  const bool counter = counts_energy(poller.source());
  if (!counter && now - began_ < kPowerAtFirst) return;
  poller.rest_until(now + (counter ? rest_of_counter(poller) : rest_of_power(poller, now)));
}

/// How many sources of its kind, counters or power sources, share what they may spend.
double DeviceSampler::sharing(bool counters) const {
  return static_cast<double>(
      std::count_if(pollers_.begin(), pollers_.end(), [&](const SourcePoller& poller) {
        return may_rest(poller) && counts_energy(poller.source()) == counters;
      }));
}

/// Whether a plain poller reads it: of the kinds and scopes, the first that there is.
bool DeviceSampler::is_plain(const SourcePoller& poller) const {
  const auto first = std::min_element(
      pollers_.begin(), pollers_.end(),
      [](const SourcePoller& a, const SourcePoller& b) { return a.source() < b.source(); });
  return &*first == &poller;
}

Nanoseconds DeviceSampler::rest_of_power(const SourcePoller& poller, HostTime now) const {
  const Seconds rest = Seconds(poller.tick_cost()) * sharing(false) / options_.expensive_share;
  const Nanoseconds longest = is_plain(poller) ? kLongestPlainRest : kLongestRest;
  return std::min(to_nanoseconds(rest),
                  std::clamp((now - began_) / kPowerRestsShare, kLeastPowerRest, longest));
}

Nanoseconds DeviceSampler::rest_of_counter(const SourcePoller& poller) const {
  const Seconds rest = Seconds(poller.tick_cost()) * sharing(true) / options_.counter_share;
  // Until half a period before the tick that is read next: the one before it has just been seen.
  const Seconds period = poller.period().value_or(Seconds(0));
  return std::min(to_nanoseconds(std::max(rest, kCounterTicks) - period / 2), kLongestRest);
}

void DeviceSampler::poll_due(HostTime now) {
  if (attention_.covers(now)) {
    for (SourcePoller& poller : pollers_) poller.wake(now);
  }
  for (SourcePoller& poller : pollers_) {
    if (lost_) return;
    if (poller.next_poll() <= now) poll(poller);
  }
  if (!lost_ && has_ring_ && next_drain_ <= now) drain();
  if (!lost_ && next_second_ <= now) once_a_second(now);
  if (!lost_ && next_health_ <= now) look_at_health(now);
}

void DeviceSampler::poll(SourcePoller& poller) {
  // A refresh is confirmed by a second call at once, so at most two rounds.
  for (int round = 0; round < 2; ++round) {
    const HostTime begin = clock_.now();
    const auto reading = sensor_.read(poller.source());
    const HostTime end = clock_.now();
    if (!reading) {
      if (const auto waited = poller.on_failure(begin, end)) {
        sink_.on_samples(poller.source(), {&*waited, 1});
      }
      fail(poller.source(), reading.error(), begin, end);
      return;
    }
    if (const auto since = poller.resting_since()) {
      sink_.on_gap(poller.source(), {*since, begin, std::string(kNotAsked)});
    }
    if (const auto sample = poller.on_value(begin, end, reading->value)) {
      sink_.on_samples(poller.source(), {&*sample, 1});
    }
    consider_rest(poller, end);
    if (poller.next_poll() > end) return;
  }
}

void DeviceSampler::drain() {
  const HostTime begin = clock_.now();
  // Until its length is known the whole ring is asked for.
  // After REALTIME was set, stamps of before and after it cannot be compared.
  const bool stepped = std::exchange(ring_stepped_, false);
  const bool all = !newest_in_ring_ || !ring_known_ || stepped;
  const auto fresh = sensor_.drain(all ? std::optional<DriverTime>() : newest_in_ring_->stamp);
  const HostTime end = clock_.now();
  next_drain_ = end + (ring_interval_.count() > 0 ? ring_interval_ : kFirstDrain);
  ++drains_;
  if (!fresh) {
    fail(kRing, fresh.error(), begin, end);
    return;
  }
  const ClockPair pair = clock_pair();
  if (realtime_stepped(pair)) {
    next_drain_ = end;  // again, by the new time
    return;
  }
  const Nanoseconds offset = pair.driver.time_since_epoch() - pair.host.time_since_epoch();
  std::vector<Sample> samples;
  samples.reserve(fresh->size());
  for (const sensor::Reading& reading : *fresh) {
    if (!reading.stamp) continue;
    const HostTime published(reading.stamp->time_since_epoch() - offset);
    samples.push_back({published, published, reading.stamp, reading.value});
  }
  learn_ring(samples);
  // What was handed out before; and, where the clock was set, what it stamped by the other time.
  std::erase_if(samples, [&](const Sample& sample) {
    if (!newest_in_ring_) return false;
    if (!stepped) return *sample.stamp <= *newest_in_ring_->stamp;
    return sample.seen <= newest_in_ring_->seen + kSamePublication || sample.seen > end;
  });
  if (samples.empty()) return;
  if (newest_in_ring_) note_drain_loss(samples.front());
  newest_in_ring_ = samples.back();
  sink_.on_samples(kRing, samples);
}

void DeviceSampler::learn_ring(std::span<const Sample> samples) {
  if (ring_known_ || samples.size() < 2) return;
  const Nanoseconds length = samples.back().seen - samples.front().seen;
  // A driver that has just been loaded hands out a ring that still fills up.
  ring_known_ = length <= ring_length_ + length / 50;
  ring_length_ = std::max(ring_length_, length);
  ring_period_ = length / static_cast<std::int64_t>(samples.size() - 1);
  ring_interval_ = std::max(std::min(ring_length_ * 2 / 5, kSlowestDrain), kQuickestDrain);
}

void DeviceSampler::note_drain_loss(const Sample& oldest) {
  // Entries older than the ring are gone; neighbours that lie far apart mean that some are.
  const Nanoseconds step = oldest.seen - newest_in_ring_->seen;
  if (ring_period_.count() == 0 || step < 5 * ring_period_) return;
  sink_.on_gap(kRing, {newest_in_ring_->seen, oldest.seen, "samples_lost"});
}

void DeviceSampler::fail(SourceId source, const Error& error, HostTime begin, HostTime end) {
  sink_.on_gap(source, {begin, end, std::string(to_string(error.code))});
  if (error.code != Errc::device) return;
  lost_ = true;
  lost_at_ = begin;
  sink_.on_event({end, EventKind::gpu_lost, error.message});
}

ClockPair DeviceSampler::clock_pair() const {
  ClockPair best;
  for (int i = 0; i < kPairTries; ++i) {
    const HostTime before = clock_.now();
    const DriverTime driver = clock_.realtime_now();
    const HostTime after = clock_.now();
    const ClockPair pair{before + (after - before) / 2, driver, after - before};
    if (i == 0 || pair.width < best.width) best = pair;
    if (best.width <= kWidePair) break;
  }
  return best;
}

void DeviceSampler::take_clock_pair() {
  const ClockPair pair = clock_pair();
  if (!realtime_stepped(pair)) sink_.on_clock_pair(pair);
}

bool DeviceSampler::realtime_stepped(const ClockPair& pair) {
  const Nanoseconds offset = pair.driver.time_since_epoch() - pair.host.time_since_epoch();
  const auto known = std::exchange(realtime_offset_, offset);
  if (!known || std::chrono::abs(offset - *known) <= kRealtimeSlew + pair.width) return false;
  ring_stepped_ = true;
  sink_.on_event({pair.host, EventKind::realtime_step,
                  "the system's clock was set while sampling; the driver's stamps jump with it"});
  return true;
}

void DeviceSampler::once_a_second(HostTime now) {
  next_second_ = now + kSecond;
  take_clock_pair();
  report_polled();
  store_health_ = true;
  look_at_health(now);
}

void DeviceSampler::look_at_health(HostTime now) {
  const HostTime asked = clock_.now();  // after `now` by what reading sources took
  auto health = sensor_.health();
  const HostTime end = clock_.now();
  next_health_ = end - asked <= kCheapHealth ? now + kHealthOften : next_second_;
  if (!health) {
    if (health.error().code == Errc::device) {
      fail({SourceKind::power_usage, Scope::gpu}, health.error(), now, end);
    }
    return;
  }
  const bool changed = limits_ != health->clocks_event_reasons;
  if (!store_health_ && !changed && !options_.all_health) return;
  store_health_ = false;
  limits_ = health->clocks_event_reasons;
  health->time = end;
  sink_.on_health(*health);
}

void DeviceSampler::report_polled() {
  // Nobody knows what a lost device would still have shown.
  const HostTime until = lost_ ? lost_at_ : clock_.now();
  for (const SourcePoller& poller : pollers_) {
    // What was not asked for long, while other calls took their time, may have changed since.
    const bool late = !poller.resting_since() && poller.last_look() + kSecond < until;
    sink_.on_polled(poller.source(), began_, late ? std::max(began_, poller.last_look()) : until,
                    poller.polls());
  }
  if (has_ring_) sink_.on_polled(kRing, began_, until, drains_);
}

void DeviceSampler::finish() {
  if (!lost_ && has_ring_) drain();
  for (SourcePoller& poller : pollers_) {
    if (!lost_ && poller.resting_since()) poll(poller);
    if (const auto last = poller.flush()) sink_.on_samples(poller.source(), {&*last, 1});
  }
  take_clock_pair();
  report_polled();
}

}  // namespace truewatt::capture
