#include "truewatt/memory/caches.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "truewatt/kernels/memory/access_kernel.hpp"
#include "truewatt/memory/served.hpp"

namespace truewatt::memory {
namespace {

using kernels::AccessPattern;

constexpr double kKilo = 1024.0;
constexpr double kMega = 1024.0 * kKilo;
/// A step by misses, and by time.
constexpr double kLeastMisses = 1.0 / 3;
constexpr double kLeastSlower = 1.25;
constexpr int kPlateau = 3;
/// Steps of times and of misses that are further apart, as a factor, are not the same one.
constexpr double kSameStep = 1.5;
/// So many of the quickest points may be errors of timing: the next one is the floor.
constexpr std::ptrdiff_t kFloor = 2;
/// What a timed launch moves at least, so that its begin and end hardly count: an H200's L1 serves
/// the first in 0.3 ms, and launches take some microseconds more or less. Chains are slow.
constexpr double kLeastWalks = 4.0;
constexpr double kLeastSectors = 2e8;
constexpr double kLeastSectorsOfChains = 4e6;
/// The largest array of a multiprocessor's own: four times the largest L1 of today and more.
constexpr double kLargest = 2 * kMega;
constexpr std::uint64_t kL1Array = std::uint64_t{2} << 20U;
/// The smallest array through L1, and what all of them are a multiple of.
constexpr double kSmallestL1 = kKilo;
constexpr std::uint64_t kL1Grain = 1024;
/// The smallest array past L1.
constexpr double kSmallestL2 = 64 * kKilo;
/// Arrays up to this share of L2 are all in it.
constexpr double kAllInL2 = 0.85;

std::uint64_t whole_pages(double bytes) { return static_cast<std::uint64_t>(bytes) / 4096 * 4096; }

double mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Every multiprocessor walks the same array by itself, so that L2 holds one only: rows of 2 kB.
AccessPattern l1_pattern(std::uint64_t bytes) {
  AccessPattern pattern{
      .copies = 4, .threads = 128, .same = true, .region = bytes, .array = kL1Array};
  while (pattern.threads > 16 && step_bytes(pattern) > bytes) pattern.threads /= 2;
  return pattern;
}

AccessPattern l2_pattern(std::uint64_t bytes) {
  AccessPattern pattern{.through_l1 = false,
                        .copies = 4,
                        .threads = 256,
                        .of_block = false,
                        .region = bytes,
                        .array = std::uint64_t{1} << 30U};
  while (pattern.threads > 16 && step_bytes(pattern) > bytes) pattern.threads /= 2;
  return pattern;
}

/// Chains of one thread a block over more than L1 has, at a distance.
AccessPattern chain_at(unsigned stride, std::uint64_t bytes) {
  return {.bytes = 8,
          .copies = 8,
          .threads = 1,
          .stride = stride,
          .same = true,
          .region = bytes,
          .array = kL1Array,
          .dependent = true};
}

/// Walks arrays: how fast, and the share of their sectors that the first cache on their way did not
/// have.
class Walker {
 public:
  /// `walks` in all, for the progress.
  Walker(load::Load& load, const CacheOptions& options, std::size_t walks)
      : load_(load),
        options_(options),
        steps_(static_cast<double>(walks) * (options.counters != nullptr ? 2 : 1)) {}

  /// The driver lets clocks up with the first work.
  Result<void> warm_up() {
    constexpr Seconds kWarm{0.3};
    constexpr int kMost = 1000;
    auto walk = prepare(l1_pattern(kL1Array / 32));
    if (!walk) return Unexpected(walk.error());
    Seconds spent{0};
    for (int i = 0; i < kMost && spent < kWarm; ++i) {
      const auto done = load_.launch(*walk->kernel, 1.0, walk->iterations);
      if (!done) return Unexpected(done.error());
      spent += done->time;
    }
    return {};
  }

  /// First all are timed, then all counted: launches are slower where counting is under way. Fewer
  /// than all where it was stopped.
  Result<std::vector<CachePoint>> walk(const std::vector<AccessPattern>& patterns) {
    std::vector<Walk> walks;
    std::vector<CachePoint> points;
    for (const AccessPattern& pattern : patterns) {
      if (is_stopped()) return points;
      auto walk = prepare(pattern);
      if (!walk) return Unexpected(walk.error());
      const auto timed = time(*walk);
      if (!timed) return Unexpected(timed.error());
      points.push_back({.bytes = static_cast<double>(pattern.region), .seconds = *timed});
      walks.push_back(*std::move(walk));
    }
    if (options_.counters == nullptr) return points;
    if (const auto counted = count(walks, patterns, points); !counted) {
      return Unexpected(counted.error());
    }
    return points;
  }

 private:
  struct Walk {
    std::shared_ptr<const kernels::Kernel> kernel;
    std::uint32_t iterations = 0;
    double sectors = 0.0;  ///< of an iteration
  };

  Result<void> count(const std::vector<Walk>& walks, const std::vector<AccessPattern>& patterns,
                     std::vector<CachePoint>& points) {
    constexpr std::size_t kTellTheRest = 4;
    const counters::InARow row(options_.counters);
    const Seconds began = spent();
    for (std::size_t i = 0; i < walks.size(); ++i) {
      const Seconds rest = i < kTellTheRest ? Seconds(0)
                                            : (spent() - began) / static_cast<double>(i) *
                                                  static_cast<double>(walks.size() - i);
      if (is_stopped() || spent() + rest > options_.count_until) {
        for (CachePoint& point : points) point.misses.reset();
        return {};
      }
      const AccessPattern& pattern = patterns[i];
      const auto counted = count_accesses(load_, *options_.counters, *walks[i].kernel, pattern);
      if (!counted) return Unexpected(counted.error());
      const Level cache = pattern.through_l1 ? Level::l1 : Level::l2;
      points[i].misses = 1.0 - share_at(counted->served, cache);
    }
    return {};
  }

  Seconds spent() const { return options_.spent ? options_.spent() : Seconds(0); }

  bool is_stopped() {
    if (options_.progress) options_.progress(std::min(1.0, done_++ / steps_));
    return options_.stopped && options_.stopped();
  }

  Result<Walk> prepare(const AccessPattern& pattern) {
    Walk walk{.kernel = kernels::make_access_kernel(pattern)};
    if (const auto compiled = load_.compile(walk.kernel); !compiled) {
      return Unexpected(compiled.error());
    }
    const auto first = load_.launch(*walk.kernel, 1.0, 1);
    if (!first) return Unexpected(first.error());
    walk.sectors = pattern.copies * sectors_per_access(pattern) * first->threads;
    const auto bytes = static_cast<double>(pattern.region);
    const double walks = pattern.of_block ? bytes / static_cast<double>(step_bytes(pattern))
                                          : bytes / (walk.sectors * kSectorBytes);
    const double least = pattern.dependent ? kLeastSectorsOfChains : kLeastSectors;
    const double wanted = std::max(kLeastWalks * walks, least / walk.sectors);
    walk.iterations = static_cast<std::uint32_t>(std::clamp(wanted, 4.0, 1e6));
    return walk;
  }

  /// Of a sector, s. The difference of two launches has no begin and no cold cache. Of each the
  /// shortest counts: what delays a launch must not make the difference short.
  Result<double> time(const Walk& walk) {
    Seconds least_few{1e9};
    Seconds least_more{1e9};
    for (int i = 0; i < 3; ++i) {
      const auto few = load_.launch(*walk.kernel, 1.0, walk.iterations);
      if (!few) return Unexpected(few.error());
      const auto more = load_.launch(*walk.kernel, 1.0, 3 * walk.iterations);
      if (!more) return Unexpected(more.error());
      least_few = std::min(least_few, few->time);
      least_more = std::min(least_more, more->time);
    }
    return (least_more - least_few).count() / (2.0 * walk.iterations * walk.sectors);
  }

  load::Load& load_;
  const CacheOptions& options_;
  double steps_;
  double done_ = 0.0;
};

std::vector<std::uint64_t> sizes_between(double from, double to, int per_octave,
                                         std::uint64_t multiple) {
  std::vector<std::uint64_t> sizes;
  const int count = static_cast<int>(std::lround(std::log2(to / from) * per_octave));
  for (int i = 0; i <= count; ++i) {
    const double size = from * std::exp2(static_cast<double>(i) / per_octave);
    const auto rounded =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size) / multiple) * multiple;
    if (sizes.empty() || rounded > sizes.back()) sizes.push_back(rounded);
  }
  return sizes;
}

/// Chains at these distances over so many bytes.
Result<std::vector<CachePoint>> walk_chains(Walker& walker, double bytes,
                                            const std::vector<unsigned>& strides) {
  std::vector<AccessPattern> patterns;
  for (const unsigned stride : strides) {
    patterns.push_back(chain_at(stride, whole_pages(bytes)));
  }
  return walker.walk(patterns);
}

/// A place in a sector that was just fetched is near: from the sector's size on none is.
Result<std::optional<double>> find_sector(Walker& walker, double l1_bytes) {
  const std::vector<unsigned> strides{8, 16, 32, 64, 128};
  const auto points = walk_chains(walker, std::min(4.0 * l1_bytes, kLargest), strides);
  if (!points) return Unexpected(points.error());
  if (points->size() < strides.size()) return std::optional<double>();
  const CachePoint& far = points->back();
  // What a place costs that is never near, of one that is so now and then.
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const CachePoint& point = (*points)[i];
    const bool by_count = point.misses && far.misses;
    // The chain's time is given per sector: of a place, whatever the distance.
    const double share =
        by_count ? *point.misses / std::max(*far.misses, 1e-9) : point.seconds / far.seconds;
    if (share > (by_count ? 0.75 : 0.85)) return std::optional<double>(strides[i]);
  }
  return std::optional<double>();
}

/// Of an array of one and a half L1, rows at a distance of two lines leave every other line out,
/// and what is left fits.
Result<std::optional<double>> find_line(Walker& walker, double l1_bytes) {
  constexpr double kFits = 0.6;
  if (1.5 * l1_bytes > kLargest) return std::optional<double>();
  const std::vector<unsigned> strides{32, 64, 128, 256, 512};
  const auto points = walk_chains(walker, 1.5 * l1_bytes, strides);
  if (!points) return Unexpected(points.error());
  for (std::size_t i = 1; i < points->size(); ++i) {
    const CachePoint& point = (*points)[i];
    const CachePoint& least = points->front();
    const double share = point.misses && least.misses && *least.misses > 0
                             ? *point.misses / *least.misses
                             : point.seconds / least.seconds;
    if (share < kFits) return std::optional<double>(strides[i - 1]);
  }
  return std::optional<double>();
}

}  // namespace

namespace {

/// Where the curve's heights last leave the first quarter from `low` to `high`; nothing where that
/// is among the points that tell how high the plateau is.
std::optional<double> size_at_quarter(std::span<const CachePoint> curve,
                                      std::span<const double> heights, double low, double high) {
  const double quarter = low + 0.25 * (high - low);
  if (heights[heights.size() - kPlateau] <= quarter) return std::nullopt;
  for (std::size_t i = heights.size() - kPlateau; i > 0; --i) {
    if (heights[i - 1] > quarter || heights[i] <= quarter) continue;
    // Where a cliff is between two points nobody knows: it is not taken to be right behind the
    // first.
    constexpr double kOfCliff = 0.4;
    const double rise = heights[i] - heights[i - 1];
    const double least = rise > 0.5 * (high - low) ? kOfCliff : 0.0;
    const double share = std::max(least, (quarter - heights[i - 1]) / rise);
    return curve[i - 1].bytes * std::pow(curve[i].bytes / curve[i - 1].bytes, share);
  }
  return std::nullopt;
}

bool is_long_enough(std::span<const CachePoint> curve) {
  return curve.size() >= std::size_t{2} * kPlateau;
}

std::optional<double> size_by_time(std::span<const CachePoint> curve) {
  if (!is_long_enough(curve)) return std::nullopt;
  std::vector<double> heights;
  for (const CachePoint& point : curve) heights.push_back(point.seconds);
  const double high = mean(std::span(heights).last(kPlateau));
  std::vector<double> quick(heights.begin(), heights.end() - kPlateau);
  std::nth_element(quick.begin(), quick.begin() + kFloor, quick.end());
  if (quick[kFloor] <= 0 || high <= kLeastSlower * quick[kFloor]) return std::nullopt;
  const double middle = 0.5 * (quick[kFloor] + high);
  const auto low = std::partition(quick.begin(), quick.end(),
                                  [middle](double height) { return height < middle; });
  const auto median = quick.begin() + (low - quick.begin()) / 2;
  std::nth_element(quick.begin(), median, low);
  return size_at_quarter(curve, heights, *median, high);
}

std::optional<double> size_by_count(std::span<const CachePoint> curve) {
  if (!is_long_enough(curve)) return std::nullopt;
  std::vector<double> heights;
  for (const CachePoint& point : curve) {
    if (!point.misses) return std::nullopt;
    heights.push_back(*point.misses);
  }
  const double high = mean(std::span(heights).last(kPlateau));
  if (high <= kLeastMisses) return std::nullopt;
  return size_at_quarter(curve, heights, 0.0, high);
}

}  // namespace

std::optional<double> size_of_step(std::span<const CachePoint> curve,
                                   std::optional<double> next_bytes) {
  // What the next cache does not have takes longer once more.
  const auto in_next = std::partition_point(curve.begin(), curve.end(), [&](const auto& point) {
    return !next_bytes || point.bytes <= kAllInL2 * *next_bytes;
  });
  const auto by_time = size_by_time({curve.begin(), in_next});
  const auto by_count = size_by_count(curve);
  const bool agree =
      by_time && by_count && std::abs(std::log(*by_time / *by_count)) < std::log(kSameStep);
  return by_count && !agree ? by_count : by_time;
}

Result<Caches> find_caches(load::Load& load, const CacheOptions& options) {
  constexpr std::size_t kChains = 10;
  std::vector<AccessPattern> small;
  for (const std::uint64_t bytes : sizes_between(kSmallestL1, kLargest, 6, kL1Grain)) {
    small.push_back(l1_pattern(bytes));
  }
  std::vector<AccessPattern> large;
  const std::uint64_t step = step_bytes(l2_pattern(1U << 30U));
  for (const std::uint64_t bytes : sizes_between(kSmallestL2, 1024 * kMega, 5, step)) {
    large.push_back(l2_pattern(bytes));
  }
  Walker walker(load, options, small.size() + large.size() + kChains);
  const auto stopped = [&] { return options.stopped && options.stopped(); };
  Caches caches;
  if (auto warm = walker.warm_up(); !warm) return Unexpected(warm.error());
  for (auto [patterns, curve] : {std::pair(&small, &caches.l1_curve), {&large, &caches.l2_curve}}) {
    auto walked = walker.walk(*patterns);
    if (!walked) return Unexpected(walked.error());
    *curve = *std::move(walked);
    if (stopped()) return caches;
  }
  caches.l2_bytes = size_of_step(caches.l2_curve);
  caches.l1_bytes = size_of_step(caches.l1_curve, caches.l2_bytes);
  if (!caches.l1_bytes || stopped()) return caches;
  auto sector = find_sector(walker, *caches.l1_bytes);
  if (!sector) return Unexpected(sector.error());
  caches.sector_bytes = *sector;
  auto line = find_line(walker, *caches.l1_bytes);
  if (!line) return Unexpected(line.error());
  caches.line_bytes = *line;
  return caches;
}

}  // namespace truewatt::memory
