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
    if (i > 0) {
      const Nanoseconds moved = offset(pairs_[i]) - offset(pairs_[i - 1]);
      if (moved > kStep || moved < -kStep) steps_.push_back(pairs_[i].host);
    }
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

std::optional<HostTime> ClockAlignment::to_host(DriverTime stamp) const {
  if (pairs_.empty()) return std::nullopt;
  HostTime guess(stamp.time_since_epoch() - offset(pairs_.front()));
  // The offset moves by parts per million, so the second round is exact to the nanosecond.
  for (int round = 0; round < 2; ++round) {
    guess = HostTime(stamp.time_since_epoch() - offset_at(guess));
  }
  return guess;
}

std::optional<DriverTime> ClockAlignment::to_driver(HostTime time) const {
  if (pairs_.empty()) return std::nullopt;
  return DriverTime(time.time_since_epoch() + offset_at(time));
}

}  // namespace truewatt
