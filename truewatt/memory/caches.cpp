#include "truewatt/memory/caches.hpp"

#include <algorithm>
#include <cmath>
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
/// What a timed launch moves at least, so that its begin and end hardly count.
constexpr double kLeastWalks = 4.0;
constexpr double kLeastSectors = 4e6;
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

/// A walk's speed, and the share of its sectors that the first cache on its way did not have.
class Walker {
 public:
  Walker(load::Load& load, const CacheOptions& options) : load_(load), options_(options) {}

  Result<CachePoint> walk(const AccessPattern& pattern) {
    const auto kernel = kernels::make_access_kernel(pattern);
    if (const auto compiled = load_.compile(kernel); !compiled) return Unexpected(compiled.error());
    CachePoint point{.bytes = static_cast<double>(pattern.region)};
    auto first = load_.launch(*kernel, 1.0, 1);
    if (!first) return Unexpected(first.error());
    const double sectors = pattern.copies * sectors_per_access(pattern) * first->threads;
    const double walks = pattern.of_block ? point.bytes / static_cast<double>(step_bytes(pattern))
                                          : point.bytes / (sectors * kSectorBytes);
    const double wanted = std::max(kLeastWalks * walks, kLeastSectors / sectors);
    const auto iterations = static_cast<std::uint32_t>(std::clamp(wanted, 4.0, 1e6));
    if (auto timed = time(*kernel, iterations, sectors, point); !timed) {
      return Unexpected(timed.error());
    }
    if (options_.counters == nullptr) return point;
    const auto counted = count_accesses(load_, *options_.counters, *kernel, pattern);
    if (!counted) return Unexpected(counted.error());
    const Level cache = pattern.through_l1 ? Level::l1 : Level::l2;
    point.misses = 1.0 - share_at(counted->served, cache);
    return point;
  }

 private:
  /// The difference of two launches has no begin and no cold cache. Of each the shortest counts:
  /// what delays a launch must not make the difference short.
  Result<void> time(const kernels::Kernel& kernel, std::uint32_t iterations, double sectors,
                    CachePoint& point) {
    Seconds least_few{1e9};
    Seconds least_more{1e9};
    for (int i = 0; i < 3; ++i) {
      const auto few = load_.launch(kernel, 1.0, iterations);
      if (!few) return Unexpected(few.error());
      const auto more = load_.launch(kernel, 1.0, 3 * iterations);
      if (!more) return Unexpected(more.error());
      least_few = std::min(least_few, few->time);
      least_more = std::min(least_more, more->time);
    }
    point.seconds = (least_more - least_few).count() / (2.0 * iterations * sectors);
    return {};
  }

  load::Load& load_;
  const CacheOptions& options_;
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

/// A place in a sector that was just fetched is near: from the sector's size on none is.
Result<std::optional<double>> find_sector(Walker& walker, double l1_bytes) {
  const auto bytes = whole_pages(std::min(4.0 * l1_bytes, kLargest));
  std::vector<std::pair<double, CachePoint>> seen;
  for (const unsigned stride : {8U, 16U, 32U, 64U, 128U}) {
    const auto point = walker.walk(chain_at(stride, bytes));
    if (!point) return Unexpected(point.error());
    seen.emplace_back(stride, *point);
  }
  const CachePoint& far = seen.back().second;
  // What a place costs that is never near, of one that is so now and then.
  for (const auto& [stride, point] : seen) {
    const bool by_count = point.misses && far.misses;
    // The chain's time is given per sector: of a place, whatever the distance.
    const double share =
        by_count ? *point.misses / std::max(*far.misses, 1e-9) : point.seconds / far.seconds;
    if (share > (by_count ? 0.75 : 0.85)) return std::optional<double>(stride);
  }
  return std::optional<double>();
}

/// Of an array of one and a half L1, rows at a distance of two lines leave every other line out,
/// and what is left fits.
Result<std::optional<double>> find_line(Walker& walker, double l1_bytes) {
  const auto bytes = whole_pages(1.5 * l1_bytes);
  if (1.5 * l1_bytes > kLargest) return std::optional<double>();
  std::optional<double> line;
  std::optional<CachePoint> least;
  for (const unsigned stride : {32U, 64U, 128U, 256U, 512U}) {
    const auto point = walker.walk(chain_at(stride, bytes));
    if (!point) return Unexpected(point.error());
    if (!least) {
      least = *point;
      line = stride;
      continue;
    }
    const double share = point->misses && least->misses && *least->misses > 0
                             ? *point->misses / *least->misses
                             : point->seconds / least->seconds;
    if (share < 0.6) return line;
    line = stride;
  }
  return std::optional<double>();
}

}  // namespace

namespace {

/// Where the curve's heights last cross the middle between `low` and `high`; nothing where that is
/// among the points that tell how high the plateau is.
std::optional<double> size_at_middle(std::span<const CachePoint> curve,
                                     std::span<const double> heights, double low, double high) {
  const double middle = 0.5 * (low + high);
  if (heights[heights.size() - kPlateau] <= middle) return std::nullopt;
  for (std::size_t i = heights.size() - kPlateau; i > 0; --i) {
    if (heights[i - 1] > middle || heights[i] <= middle) continue;
    const double share = (middle - heights[i - 1]) / (heights[i] - heights[i - 1]);
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
  std::vector<double> quick(heights.begin(), heights.end() - kPlateau);
  std::nth_element(quick.begin(), quick.begin() + kFloor, quick.end());
  const double high = mean(std::span(heights).last(kPlateau));
  if (quick[kFloor] <= 0 || high <= kLeastSlower * quick[kFloor]) return std::nullopt;
  return size_at_middle(curve, heights, quick[kFloor], high);
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
  return size_at_middle(curve, heights, 0.0, high);
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
  Walker walker(load, options);
  Caches caches;
  const auto small = sizes_between(kSmallestL1, kLargest, 6, kL1Grain);
  const auto large = sizes_between(kSmallestL2, 1024 * kMega, 5, step_bytes(l2_pattern(1U << 30U)));
  const double all = static_cast<double>(small.size() + large.size());
  double done = 0.0;
  const auto walk = [&](const AccessPattern& pattern,
                        std::vector<CachePoint>& curve) -> Result<void> {
    if (options.progress) options.progress(done++ / all);
    const auto point = walker.walk(pattern);
    if (!point) return Unexpected(point.error());
    curve.push_back(*point);
    return {};
  };
  const auto stopped = [&] { return options.stopped && options.stopped(); };
  for (const std::uint64_t bytes : small) {
    if (stopped()) return caches;
    if (auto did = walk(l1_pattern(bytes), caches.l1_curve); !did) return Unexpected(did.error());
  }
  for (const std::uint64_t bytes : large) {
    if (stopped()) return caches;
    if (auto did = walk(l2_pattern(bytes), caches.l2_curve); !did) return Unexpected(did.error());
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
