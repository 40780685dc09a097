#include "truewatt/memory/rounds.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "truewatt/experiment/session.hpp"
#include "truewatt/memory/judgement.hpp"
#include "truewatt/memory/power_limit.hpp"
#include "truewatt/microbenchmark/pace.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::Point;
using microbenchmark::PointOf;

constexpr std::size_t kBatch = 30;
constexpr std::size_t kSpin = static_cast<std::size_t>(-1);
constexpr Seconds kShortest{0.3};
constexpr Seconds kLongest{1.5};
/// Of the levels' time, for the first measurement of each.
constexpr double kFirstRound = 0.7;
}  // namespace

Result<int> Rounds::prepare() {
  const auto& profile = set_.devices.front().known.profile;
  const microbenchmark::Pace pace = microbenchmark::pace_of(profile ? &*profile : nullptr);
  later_ = std::max(Seconds(0), pace.settles - microbenchmark::Pace{}.settles);
  shortest_ = std::max(kShortest, pace.shortest - later_);
  idle_ = pace.idle;
  spin_ = microbenchmark::make_spin();
  const auto code = load_.compile(spin_);
  if (!code) return Unexpected(code.error());
  seen_.points.resize(seen_.plan.loops.size());
  return (*code)->compute_capability;
}

void Rounds::choose_length(Seconds until) {
  const auto points = static_cast<double>(seen_.plan.loops.size() * kUsualShares.size());
  const double batches = std::ceil(points / static_cast<double>(kBatch));
  const Seconds kernels = kFirstRound * (until - spent()) -
                          batches * microbenchmark::length_of_batch(0, Seconds(0), idle_);
  length_ = std::clamp(kernels / (points + batches * static_cast<double>(kUsualShares.size())),
                       shortest_ + later_, std::max(kLongest, shortest_) + later_);
}

Seconds Rounds::length_of(const std::vector<PointOf>& points, Seconds length) const {
  const double batches = std::ceil(static_cast<double>(points.size()) / double{kBatch});
  const auto spins = static_cast<std::size_t>(batches) * kUsualShares.size();
  return microbenchmark::length_of_batch(points, length + later_, idle_) +
         microbenchmark::length_of_batch(spins, length + later_, idle_) +
         (batches - 2) * microbenchmark::length_of_batch(0, length, idle_);
}

Seconds Rounds::least_length() const {
  const std::vector<PointOf> all(seen_.plan.loops.size() * kUsualShares.size());
  return length_of(all, shortest_) / kAllOfTime;
}

std::vector<PointOf> Rounds::points_of(const std::vector<std::size_t>& loops) const {
  std::vector<PointOf> points;
  for (const std::size_t i : loops) {
    const Loop& loop = seen_.plan.loops[i];
    for (const double share : shares_for(seen_, i)) {
      points.push_back({i, loop.pattern.copies, loop.kernel, share});
    }
  }
  return points;
}

Result<bool> Rounds::play_loops(const std::vector<std::size_t>& loops, Seconds until,
                                const std::string& what) {
  return play(points_of(loops), until, what);
}

Result<bool> Rounds::play(std::vector<PointOf> points, Seconds until, const std::string& what) {
  std::shuffle(points.begin(), points.end(), chance_);
  for (std::size_t from = 0; from < points.size(); from += kBatch) {
    if (options_.stop.stop_requested()) return false;
    std::vector<PointOf> some(
        points.begin() + static_cast<std::ptrdiff_t>(from),
        points.begin() + static_cast<std::ptrdiff_t>(std::min(points.size(), from + kBatch)));
    std::set<double> shares(kUsualShares.begin(), kUsualShares.end());
    for (const PointOf& point : some) shares.insert(point.share);
    for (const double share : shares) some.push_back({kSpin, 0, spin_, share});
    const std::size_t wanted = some.size();
    while (!some.empty() &&
           spent() + microbenchmark::length_of_batch(some, length_, idle_) > until) {
      some.erase(some.begin());
    }
    const bool is_whole = some.size() == wanted;
    if (some.size() <= shares.size()) return false;
    std::shuffle(some.begin(), some.end(), chance_);
    experiment::say(options_.progress, std::min(1.0, spent() / options_.budget),
                    fmt::format("measuring: {}, {:.0f} of at most {:.0f} s", what, spent().count(),
                                options_.budget.count()));
    auto batch = microbenchmark::play_batch(set_, load_, some,
                                            {.polling = options_.polling,
                                             .estimate = options_.estimate,
                                             .length = length_,
                                             .settles = microbenchmark::Pace{}.settles + later_,
                                             .idle = idle_,
                                             .first_run = windows_,
                                             .stop = options_.stop});
    if (!batch) return Unexpected(batch.error());
    windows_ += batch->windows;
    if (!batch->idle_w) {
      ++lost_;
      continue;
    }
    const int number = seen_.baselines.add(*batch);
    for (Point& point : batch->points) {
      point.batch = number;
      keep(std::move(point));
    }
    if (!is_whole) return false;
  }
  return true;
}

void Rounds::keep(Point point) {
  if (point.of.row == kSpin) {
    seen_.baselines.add_spin(point);
  } else if (point.of.row < seen_.points.size()) {
    seen_.points[point.of.row].push_back(std::move(point));
  } else {
    seen_.others.push_back(std::move(point));
  }
}

}  // namespace truewatt::memory
