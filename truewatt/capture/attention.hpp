#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "truewatt/base/time.hpp"

namespace truewatt::capture {

/// The stretches of time in which every publication matters whatever it costs: around the edges of
/// windows. Any thread.
class Attention {
 public:
  void add(HostTime from, HostTime until) {
    const std::lock_guard lock(mutex_);
    spans_.emplace_back(from, until);
  }
  bool covers(HostTime time) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [from, until] : spans_) {
      if (from <= time && time < until) return true;
    }
    return false;
  }
  /// The stretches, in order of their begins.
  std::vector<std::pair<HostTime, HostTime>> spans() const {
    std::vector<std::pair<HostTime, HostTime>> sorted;
    {
      const std::lock_guard lock(mutex_);
      sorted = spans_;
    }
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  /// When the next stretch begins after `time`.
  std::optional<HostTime> next_after(HostTime time) const {
    const std::lock_guard lock(mutex_);
    std::optional<HostTime> next;
    for (const auto& [from, until] : spans_) {
      if (from > time && (!next || from < *next)) next = from;
    }
    return next;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<HostTime, HostTime>> spans_;
};

}  // namespace truewatt::capture
