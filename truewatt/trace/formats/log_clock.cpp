#include "truewatt/trace/formats/log_clock.hpp"

#include <algorithm>

namespace truewatt::trace {
namespace {

/// Stands in for the row distance where the log has none, and bounds it: rows behind a step must
/// not land years later because of one long pause.
constexpr Nanoseconds kMinDistance = std::chrono::milliseconds(1);
constexpr Nanoseconds kMaxDistance = std::chrono::seconds(1);
/// About the year 2110: far enough below the end of integer nanoseconds (2262) to add to.
constexpr HostTime kLatest{std::chrono::hours(24LL * 366 * 140)};

Nanoseconds median_distance(const std::vector<DriverTime>& stamps) {
  std::vector<Nanoseconds> distances;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    if (stamps[i] > stamps[i - 1]) distances.push_back(stamps[i] - stamps[i - 1]);
  }
  if (distances.empty()) return kMinDistance;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return std::clamp(*middle, kMinDistance, kMaxDistance);
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

}  // namespace

LogTimes place_rows(const std::vector<DriverTime>& stamps) {
  LogTimes times;
  if (stamps.empty()) return times;
  const std::vector<DriverTime> clean = without_lone_rows(stamps, times.steps);
  Axis axis(median_distance(clean));
  times.host.reserve(clean.size());
  for (std::size_t i = 0; i < clean.size(); ++i) {
    times.host.push_back(axis.place(clean[i], i == 0));
    if (axis.stepped()) {
      times.steps.push_back(i);
      times.clock_pairs.push_back({times.host[i - 1], clean[i - 1], kLogStampWidth});
    }
    if (i == 0 || axis.stepped()) {
      times.clock_pairs.push_back({times.host[i], clean[i], kLogStampWidth});
    }
  }
  std::sort(times.steps.begin(), times.steps.end());
  return times;
}

}  // namespace truewatt::trace
