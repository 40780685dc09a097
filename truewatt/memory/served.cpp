#include "truewatt/memory/served.hpp"

#include <algorithm>
#include <numeric>

namespace truewatt::memory {
namespace {

constexpr std::uint32_t kFewIterations = 128;
constexpr std::uint32_t kMoreIterations = 640;
/// Bytes of a wavefront of shared memory, in sectors.
constexpr double kWavefrontSectors = 4.0;

double& at(Served& served, Level level) { return served[static_cast<std::size_t>(level)]; }

}  // namespace

double total_of(const Served& served) { return std::accumulate(served.begin(), served.end(), 0.0); }

double share_at(const Served& served, Level level) {
  const double all = total_of(served);
  return all > 0 ? served[static_cast<std::size_t>(level)] / all : 0.0;
}

Served served_of(const counters::Counts& counts, const kernels::AccessPattern& pattern) {
  Served served{};
  const bool store = pattern.operation == kernels::MemoryOperation::store;
  if (pattern.space == kernels::MemorySpace::shared) {
    const auto& wavefronts = store ? counts.shared_stores : counts.shared_loads;
    at(served, Level::shared) = kWavefrontSectors * wavefronts.value_or(0.0);
    return served;
  }
  if (store) {
    const double dram = counts.dram_writes.value_or(0.0);
    const double l2 = counts.l2_writes.value_or(0.0);
    at(served, Level::l1) = std::max(0.0, counts.l1_stores.value_or(l2) - l2);
    at(served, Level::l2) = std::max(0.0, l2 - dram);
    at(served, Level::dram) = std::min(l2, dram);
    return served;
  }
  at(served, Level::l1) = counts.l1_hits.value_or(0.0);
  at(served, Level::l2) = counts.l2_hits.value_or(0.0);
  // A miss in one partition of L2 may be a hit in the other: DRAM gave no more than it read.
  const double misses = counts.l2_misses.value_or(counts.dram_reads.value_or(0.0));
  const double dram = std::min(misses, counts.dram_reads.value_or(misses));
  at(served, Level::l2) += misses - dram;
  at(served, Level::dram) = dram;
  return served;
}

Served aimed_at(const kernels::AccessPattern& pattern, Level level) {
  Served served{};
  at(served, level) = pattern.copies * sectors_per_access(pattern);
  return served;
}

Result<CountedAccess> count_accesses(load::Load& load, counters::Counters& counters,
                                     const kernels::Kernel& kernel,
                                     const kernels::AccessPattern& pattern) {
  double threads = 0.0;
  const auto launch = [&](std::uint32_t iterations) -> Result<void> {
    const auto done = load.launch(kernel, 1.0, iterations);
    if (!done) return Unexpected(done.error());
    threads = done->threads;
    return {};
  };
  // Both begin behind the same launch, so that caches hold the same.
  const auto counted_behind = [&](std::uint32_t iterations) -> Result<counters::Counts> {
    if (auto warm = launch(kMoreIterations); !warm) return Unexpected(warm.error());
    return counters.count([&] { return launch(iterations); });
  };
  const auto few = counted_behind(kFewIterations);
  if (!few) return Unexpected(few.error());
  const auto more = counted_behind(kMoreIterations);
  if (!more) return Unexpected(more.error());
  const double passes = threads * (kMoreIterations - kFewIterations);
  const Served less = served_of(*few, pattern);
  CountedAccess counted{.served = served_of(*more, pattern)};
  for (std::size_t i = 0; i < kLevels; ++i) {
    counted.served[i] = std::max(0.0, counted.served[i] - less[i]) / passes;
  }
  counted.local_sectors = more->local_sectors.value_or(0.0) - few->local_sectors.value_or(0.0);
  const double l2 = passes * (counted.served[static_cast<std::size_t>(Level::l2)] +
                              counted.served[static_cast<std::size_t>(Level::dram)]);
  if (few->l2_far && more->l2_far && l2 > 0) {
    counted.far_share = std::max(0.0, *more->l2_far - *few->l2_far) / l2;
  }
  return counted;
}

}  // namespace truewatt::memory
