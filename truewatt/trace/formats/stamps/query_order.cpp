#include "truewatt/trace/formats/stamps/query_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostGpus = 16;
/// The number of GPUs shows in so many rows.
constexpr std::size_t kRowsLookedAt = 4096;
/// More GPUs than this answer within it.
constexpr Nanoseconds kWithinQuery = milliseconds(50);
/// One GPU's rows are twice as far apart where one is missed, or rounded up.
constexpr int kCloser = 2;
/// Stamps that are all equal within a query resolve it only if it is longer than this many of their
/// steps.
constexpr int kResolved = 3;
constexpr double kAlike = 0.9;
/// One GPU's rows are hardly ever so much closer than the distance that nine of ten keep below.
constexpr int kBurstRatio = 20;
constexpr double kBurstShare = 0.08;

/// What comes in turn does so in so many rounds.
constexpr std::size_t kFewestRounds = 10;
/// So many times closer to the round before than to the row before.
constexpr double kTimesCloser = 4.0;

Nanoseconds quantile(std::vector<Nanoseconds> values, double share) {
  if (values.empty()) return Nanoseconds(0);
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// Where rows of one query begin: behind a distance above `wait`, or where the clock was set back.
std::vector<std::size_t> burst_begins(const std::vector<DriverTime>& stamps, Nanoseconds wait) {
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const Nanoseconds distance = stamps[i] - stamps[i - 1];
    if (distance > wait || distance < Nanoseconds(0)) begins.push_back(i);
  }
  begins.push_back(stamps.size());
  return begins;
}

/// Of whole bursts, the share of `gpus` rows; 0 where there are fewer than three.
double share_of(const std::vector<std::size_t>& begins, std::size_t gpus) {
  if (begins.size() < 5) return 0.0;
  std::size_t alike = 0;
  for (std::size_t i = 1; i + 2 < begins.size(); ++i) alike += begins[i + 1] - begins[i] == gpus;
  return static_cast<double>(alike) / static_cast<double>(begins.size() - 3);
}

/// What the stamps are rounded to.
Nanoseconds resolution_of(const std::vector<DriverTime>& stamps) {
  for (const Nanoseconds unit :
       {Nanoseconds(std::chrono::seconds(1)), Nanoseconds(milliseconds(100)),
        Nanoseconds(milliseconds(10)), Nanoseconds(milliseconds(1))}) {
    const auto fits = [unit](DriverTime t) {
      return t.time_since_epoch() % unit == Nanoseconds(0);
    };
    if (std::all_of(stamps.begin(), stamps.end(), fits)) return unit;
  }
  return Nanoseconds(0);
}

struct Rhythm {
  std::size_t gpus = 1;
  Nanoseconds wait{0};  ///< a longer distance begins a query
  bool is_clear = true;
};

/// What `gpus` rows a query would look like, if these are.
std::optional<Rhythm> rhythm_of(const std::vector<DriverTime>& stamps, std::size_t gpus) {
  std::vector<Nanoseconds> cycles;
  for (std::size_t i = gpus; i < stamps.size(); ++i) cycles.push_back(stamps[i] - stamps[i - gpus]);
  const Nanoseconds cycle = quantile(std::move(cycles), 0.5);
  const auto begins = burst_begins(stamps, cycle / 2);
  if (cycle <= Nanoseconds(0) || share_of(begins, gpus) < kAlike) return std::nullopt;
  std::vector<Nanoseconds> within;
  std::vector<Nanoseconds> between;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const Nanoseconds distance = stamps[i] - stamps[i - 1];
    (distance > cycle / 2 ? between : within).push_back(distance);
  }
  const Nanoseconds longest = quantile(std::move(within), kAlike);
  if (quantile(std::move(between), 1.0 - kAlike) <= kCloser * longest) return std::nullopt;
  const bool is_coarse = longest <= Nanoseconds(0) && cycle <= kResolved * resolution_of(stamps);
  return Rhythm{gpus, cycle / 2, longest <= kWithinQuery && !is_coarse};
}

/// Whether rows come in bursts, of whatever length.
bool comes_in_bursts(const std::vector<DriverTime>& stamps) {
  std::vector<Nanoseconds> distances;
  for (std::size_t i = 1; i < stamps.size(); ++i) distances.push_back(stamps[i] - stamps[i - 1]);
  if (distances.size() < 2 * kMostGpus) return false;
  const Nanoseconds usual = quantile(distances, kAlike);
  if (usual <= kBurstRatio * resolution_of(stamps)) return false;
  const auto close = std::count_if(distances.begin(), distances.end(), [usual](Nanoseconds one) {
    return one >= Nanoseconds(0) && one <= kWithinQuery && one < usual / kBurstRatio;
  });
  return static_cast<double>(close) > kBurstShare * static_cast<double>(distances.size());
}

}  // namespace

std::optional<QueryOrder> order_within_queries(const std::vector<DriverTime>& stamps) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(stamps.size(), kRowsLookedAt));
  const std::vector<DriverTime> start(stamps.begin(), stamps.begin() + count);
  std::optional<Rhythm> rhythm;
  for (std::size_t gpus = kMostGpus; gpus > 1 && !rhythm; --gpus) rhythm = rhythm_of(start, gpus);
  if (!rhythm) return comes_in_bursts(start) ? std::nullopt : std::optional(QueryOrder{});
  if (!rhythm->is_clear) return std::nullopt;
  const auto begins = burst_begins(stamps, rhythm->wait);
  if (share_of(begins, rhythm->gpus) < kAlike) return std::nullopt;
  QueryOrder order{rhythm->gpus, std::vector<std::optional<std::size_t>>(stamps.size())};
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    if (begins[i + 1] - begins[i] != order.gpus) continue;
    for (std::size_t row = begins[i]; row < begins[i + 1]; ++row) {
      order.places[row] = row - begins[i];
    }
  }
  return order;
}

std::vector<std::size_t> rounds_of(const std::vector<DriverTime>& stamps) {
  constexpr double kUsual = 0.95;  // one row of sixteen has a longer distance, pauses are rarer
  constexpr double kMostOfIt = 0.5;
  const std::size_t count = std::min(stamps.size(), kRowsLookedAt);
  std::vector<Nanoseconds> distances;
  for (std::size_t i = 1; i < count; ++i) distances.push_back(stamps[i] - stamps[i - 1]);
  const Nanoseconds longest = quantile(distances, kUsual);
  std::vector<double> seconds;
  double mean = 0.0;
  for (const Nanoseconds distance : distances) {
    seconds.push_back(Seconds(std::clamp(distance, Nanoseconds(0), longest)).count());
    mean += seconds.back() / static_cast<double>(distances.size());
  }
  double scatter = 0.0;
  for (double& one : seconds) {
    one -= mean;
    scatter += one * one;
  }
  const double rounding = Seconds(resolution_of(stamps)).count();
  std::vector<std::size_t> rounds;
  if (scatter <= rounding * rounding * static_cast<double>(seconds.size())) return rounds;
  for (std::size_t gpus = 2; gpus <= kMostGpus; ++gpus) {
    if (seconds.size() < kFewestRounds * gpus) break;
    double again = 0.0;
    for (std::size_t i = gpus; i < seconds.size(); ++i) again += seconds[i] * seconds[i - gpus];
    if (again > kMostOfIt * scatter) rounds.push_back(gpus);
  }
  return rounds;
}

bool come_in_rounds(const std::vector<double>& values, std::size_t gpus) {
  if (values.size() < kFewestRounds * gpus) return false;
  double by_round = 0.0;
  double by_row = 0.0;
  for (std::size_t i = gpus; i < values.size(); ++i) {
    by_round += std::abs(values[i] - values[i - gpus]);
    by_row += std::abs(values[i] - values[i - 1]);
  }
  return kTimesCloser * by_round < by_row;
}

bool come_in_turn(const std::vector<double>& values) {
  constexpr double kApart = 2.0;  // W, or J
  for (std::size_t gpus = 2; gpus <= kMostGpus; ++gpus) {
    if (values.size() < kFewestRounds * gpus) return false;
    std::size_t in_turn = 0;
    for (std::size_t i = gpus; i < values.size(); ++i) {
      const double turn = std::abs(values[i] - values[i - gpus]);
      const double next = std::abs(values[i] - values[i - 1]);
      in_turn += next > kApart && kTimesCloser * turn < next ? 1 : 0;
    }
    if (static_cast<double>(in_turn) >= kAlike * static_cast<double>(values.size() - gpus)) {
      return true;
    }
  }
  return false;
}

}  // namespace truewatt::trace
