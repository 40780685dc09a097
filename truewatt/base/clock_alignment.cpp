#include "truewatt/base/clock_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace truewatt {
namespace {

/// REALTIME minus MONOTONIC.
Nanoseconds offset(const ClockPair& pair) {
  return pair.driver.time_since_epoch() - pair.host.time_since_epoch();
}

}  // namespace

ClockAlignment::ClockAlignment(std::vector<ClockPair> pairs) : pairs_(std::move(pairs)) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    uncertainty_ = std::max(uncertainty_, pairs_[i].width / 2);
    const Nanoseconds moved = i > 0 ? offset(pairs_[i]) - offset(pairs_[i - 1]) : Nanoseconds(0);
    const bool is_step = moved > kStep || moved < -kStep;
    if (is_step) steps_.push_back(pairs_[i].host);
    if (i == 0 || is_step) stretches_.push_back({pairs_[i], pairs_[i]});
    stretches_.back().last = pairs_[i];
  }
}

Nanoseconds ClockAlignment::offset_at(HostTime time) const {
  const auto after =
      std::lower_bound(pairs_.begin(), pairs_.end(), time,
                       [](const ClockPair& pair, HostTime t) { return pair.host < t; });
  if (after == pairs_.begin()) return offset(pairs_.front());
  if (after == pairs_.end()) return offset(pairs_.back());
  const ClockPair& before = *(after - 1);
  const double share =
      Seconds(time - before.host).count() / Seconds(after->host - before.host).count();
  const Nanoseconds moved = offset(*after) - offset(before);
  return offset(before) + Nanoseconds(std::llround(share * static_cast<double>(moved.count())));
}

const ClockAlignment::Stretch& ClockAlignment::stretch_near(DriverTime stamp) const {
  const auto distance = [stamp](const Stretch& stretch) {
    return std::max({stretch.first.driver - stamp, stamp - stretch.last.driver, Nanoseconds(0)});
  };
  return *std::min_element(
      stretches_.begin(), stretches_.end(),
      [&](const Stretch& a, const Stretch& b) { return distance(a) < distance(b); });
}

std::optional<HostTime> ClockAlignment::to_host(DriverTime stamp) const {
  if (pairs_.empty()) return std::nullopt;
  const Stretch& stretch = stretch_near(stamp);
  HostTime guess(stamp.time_since_epoch() - offset(stretch.first));
  // The offset moves by parts per million, so the second round is exact to the nanosecond.
  for (int round = 0; round < 2; ++round) {
    const HostTime within = std::max(stretch.first.host, std::min(guess, stretch.last.host));
    guess = HostTime(stamp.time_since_epoch() - offset_at(within));
  }
  return guess;
}

std::optional<DriverTime> ClockAlignment::to_driver(HostTime time) const {
  if (pairs_.empty()) return std::nullopt;
  return DriverTime(time.time_since_epoch() + offset_at(time));
}

}  // namespace truewatt
