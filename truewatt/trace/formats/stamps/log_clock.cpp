#include "truewatt/trace/formats/stamps/log_clock.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace truewatt::trace {
namespace {

/// Stands in for the row distance where the log has none, and bounds it: rows behind a step must
/// not land years later because of one long pause.
constexpr Nanoseconds kMinDistance = std::chrono::milliseconds(1);
constexpr Nanoseconds kMaxDistance = std::chrono::seconds(1);
/// About the year 2110: far enough below the end of integer nanoseconds (2262) to add to.
constexpr HostTime kLatest{std::chrono::hours(24LL * 366 * 140)};

/// Of rows whose clock daylight saving sets: rarer ones do not show it.
constexpr Nanoseconds kLongestDistance = std::chrono::minutes(2);

Nanoseconds median_distance(const std::vector<DriverTime>& stamps, Nanoseconds longest) {
  std::vector<Nanoseconds> distances;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    if (stamps[i] > stamps[i - 1]) distances.push_back(stamps[i] - stamps[i - 1]);
  }
  if (distances.empty()) return kMinDistance;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return std::clamp(*middle, kMinDistance, longest);
}

/// The stamps with rows that lie off both neighbours pulled between them: ahead of both, or behind
/// both. `moved` lists those rows.
std::vector<DriverTime> without_lone_rows(std::vector<DriverTime> stamps,
                                          std::vector<std::size_t>& moved) {
  for (std::size_t i = 1; i + 1 < stamps.size(); ++i) {
    const DriverTime above = stamps[i - 1];
    const DriverTime below = stamps[i + 1];
    const bool off = above <= below && (stamps[i] > below || stamps[i] < above);
    if (!off) continue;
    stamps[i] = above + (below - above) / 2;
    moved.push_back(i);
  }
  return stamps;
}

/// Walks down the rows and keeps the distance of the axis from the stamps.
class Axis {
 public:
  explicit Axis(Nanoseconds distance) : distance_(distance) {}

  HostTime place(DriverTime stamp, bool first) {
    stepped_ = false;
    if (!first) follow(stamp);
    last_stamp_ = stamp;
    return last_ = HostTime(stamp.time_since_epoch() + shift_);
  }
  bool stepped() const { return stepped_; }

 private:
  void follow(DriverTime stamp) {
    const HostTime plain(stamp.time_since_epoch());
    const bool came_back =
        shift_ > Nanoseconds(0) && plain >= last_ && stamp - last_stamp_ >= shift_ / 2;
    if (came_back) {
      move_to(Nanoseconds(0));
    } else if (plain > kLatest - shift_ || plain + shift_ < last_) {
      move_to(last_ + distance_ - plain);
    }
  }
  void move_to(Nanoseconds shift) {
    shift_ = shift;
    stepped_ = true;
  }

  Nanoseconds distance_;
  Nanoseconds shift_{0};
  HostTime last_;
  DriverTime last_stamp_;
  bool stepped_ = false;
};

/// Row distances that a row may come late by at the very moment.
constexpr int kLate = 3;
constexpr std::chrono::hours kLastHourOfSetting{4};

bool is_set_back(DriverTime above, DriverTime below, Nanoseconds distance) {
  const Nanoseconds step = below + std::chrono::hours(1) - above;
  return step >= Nanoseconds(0) && step <= kLate * distance;
}

bool is_set_forward(DriverTime above, DriverTime below, Nanoseconds distance) {
  const Nanoseconds step = below - std::chrono::hours(1) - above;
  if (step < Nanoseconds(0) || step > kLate * distance) return false;
  const auto hour = std::chrono::ceil<std::chrono::hours>(above.time_since_epoch());
  return hour % std::chrono::hours(24) < kLastHourOfSetting &&
         below.time_since_epoch() >= hour + std::chrono::hours(1);
}

}  // namespace

std::vector<ClockSetting> undo_daylight_saving(std::vector<DriverTime>& stamps) {
  const Nanoseconds distance = median_distance(stamps, kLongestDistance);
  std::vector<ClockSetting> settings;
  Nanoseconds shift{0};
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    stamps[i] += shift;
    // A single row that lies off is no clock that was set.
    const bool stays = i + 1 == stamps.size() || stamps[i + 1] + shift >= stamps[i];
    Nanoseconds set{0};
    if (stays && is_set_back(stamps[i - 1], stamps[i], distance)) set = std::chrono::hours(1);
    if (is_set_forward(stamps[i - 1], stamps[i], distance)) set = -std::chrono::hours(1);
    if (set == Nanoseconds(0)) continue;
    settings.push_back({stamps[i - 1] - shift, stamps[i] - shift});
    stamps[i] += set;
    shift += set;
  }
  return settings;
}

namespace {

/// How many rows the shortest part has that stands in order.
std::size_t shortest_part(const std::vector<DriverTime>& stamps) {
  std::size_t shortest = stamps.size();
  std::size_t begin = 0;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    if (stamps[i] >= stamps[i - 1]) continue;
    shortest = std::min(shortest, i - begin);
    begin = i;
  }
  return std::min(shortest, stamps.size() - begin);
}

}  // namespace

std::optional<std::vector<std::uint32_t>> order_of_rows(const std::vector<DriverTime>& stamps) {
  constexpr std::size_t kFewestRows = 10;
  // Shares of the usual distance.
  constexpr int kLeast = 2;
  constexpr int kAlone = 100;
  std::size_t descents = 0;
  for (std::size_t i = 1; i < stamps.size(); ++i) descents += stamps[i] < stamps[i - 1] ? 1 : 0;
  // A clock is set back once.
  if (descents < 2 || stamps.size() < kFewestRows) return std::nullopt;
  std::vector<std::uint32_t> order(stamps.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return stamps[a] < stamps[b]; });
  std::vector<DriverTime> sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t row : order) sorted.push_back(stamps[row]);
  const Nanoseconds distance = median_distance(sorted, kLongestDistance);
  // Parts that were written one after the other, by a clock that was set back between them.
  const bool is_in_parts = shortest_part(stamps) >= kFewestRows;
  bool is_alone = true;  // a stamp that is wrong stands far from all others
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] < distance / kLeast) return std::nullopt;
    const bool is_far = sorted[i] - sorted[i - 1] > kAlone * distance;
    if (is_far && (is_alone || is_in_parts)) return std::nullopt;
    is_alone = is_far;
  }
  return is_alone ? std::nullopt : std::optional(std::move(order));
}

std::size_t spread_within_seconds(std::vector<DriverTime>& stamps) {
  static constexpr Nanoseconds kSecond = std::chrono::seconds(1);
  const auto is_whole = [](DriverTime stamp) {
    return stamp.time_since_epoch() % kSecond == Nanoseconds(0);
  };
  if (stamps.empty() || !std::all_of(stamps.begin(), stamps.end(), is_whole)) return 1;
  std::vector<std::size_t> counts;  // of stamps in a row that are alike
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    if (i == 0 || stamps[i] != stamps[i - 1]) counts.push_back(0);
    ++counts.back();
  }
  std::vector<std::size_t> sorted = counts;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t usual = sorted[sorted.size() / 2];
  if (usual < 2) return 1;
  std::size_t row = 0;
  for (std::size_t second = 0; second < counts.size(); ++second) {
    // Of the first second its begin may be missing, of any other its end.
    const std::size_t of = std::max(counts[second], usual);
    const std::size_t before = second == 0 ? of - counts[second] : 0;
    for (std::size_t k = 0; k < counts[second]; ++k, ++row) {
      stamps[row] += kSecond * (2 * (before + k) + 1) / (2 * of);
    }
  }
  return usual;
}

LogTimes place_rows(const std::vector<DriverTime>& stamps, Nanoseconds width) {
  LogTimes times;
  if (stamps.empty()) return times;
  const std::vector<DriverTime> clean = without_lone_rows(stamps, times.steps);
  Axis axis(median_distance(clean, kMaxDistance));
  times.host.reserve(clean.size());
  for (std::size_t i = 0; i < clean.size(); ++i) {
    times.host.push_back(axis.place(clean[i], i == 0));
    if (axis.stepped()) {
      times.steps.push_back(i);
      times.farthest_back = std::max(times.farthest_back, clean[i - 1] - clean[i]);
      times.clock_pairs.push_back({times.host[i - 1], clean[i - 1], width});
    }
    if (i == 0 || axis.stepped()) {
      times.clock_pairs.push_back({times.host[i], clean[i], width});
    }
  }
  // Where time by the last offset ends.
  if (times.clock_pairs.size() > 1) {
    times.clock_pairs.push_back({times.host.back(), clean.back(), width});
  }
  std::sort(times.steps.begin(), times.steps.end());
  return times;
}

}  // namespace truewatt::trace
