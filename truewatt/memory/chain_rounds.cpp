#include "truewatt/memory/chain_rounds.hpp"

#include <set>
#include <span>

#include "truewatt/memory/chains.hpp"
#include "truewatt/memory/observed_fit.hpp"
#include "truewatt/memory/power_limit.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::Point;
using microbenchmark::PointOf;

/// Two of each show how they scatter.
constexpr int kChainRounds = 2;

std::vector<PointOf> points_for(const std::vector<Chain>& chains, std::size_t first) {
  std::vector<PointOf> points;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const Chain& chain = chains[i];
    for (const double stretch : chain.stretches) {
      points.push_back(
          {first + i, chain.pattern.copies, chain.kernel, chain.parallel.share, stretch});
    }
  }
  return points;
}

}  // namespace

Seconds length_of_chains(const Rounds& rounds, const Sizes& sizes) {
  return rounds.length_of(points_for(plan_chains(sizes), 0), rounds.brief());
}

Result<ChainEnergies> measure_chains(load::Load& load, Rounds& rounds, Observations& seen,
                                     Seconds until) {
  auto chains = make_chains(load, seen.sizes);
  if (!chains) return Unexpected(chains.error());
  const std::size_t first = seen.points.size();
  const std::vector<PointOf> points = points_for(*chains, first);
  rounds.shorten();
  for (int round = 0; round < kChainRounds; ++round) {
    const auto played = rounds.play(points, until, "energy by threads and blocks");
    if (!played) return Unexpected(played.error());
  }
  const auto spin = seen.baselines.spin_at(1.0);
  if (!spin) {
    return Unexpected(Errc::insufficient_data, "what spinning draws is not known");
  }
  const double idle_u_w = seen.baselines.idle_u_w();
  std::vector<ChainRun> runs;
  std::set<std::size_t> limited;
  for (const Point& point : seen.baselines.steady(seen.others)) {
    // At a lowered clock an access costs less, and spinning draws less beneath it.
    if (is_limited(seen, point)) {
      limited.insert(point.of.row);
      continue;
    }
    runs.push_back({&(*chains)[point.of.row - first], above_idle(point, idle_u_w),
                    spin->scaled(point.length.count()), point.energy_j.value(),
                    point.length.count(), point.iterations});
  }
  std::set<std::size_t> played;
  for (const Point& point : seen.others) played.insert(point.of.row);
  std::set<const Chain*> used;
  for (const ChainRun& run : runs) used.insert(run.chain);
  std::erase_if(limited, [&](std::size_t row) { return used.contains(&(*chains)[row - first]); });
  return ChainEnergies{.sweep = sweep_of(runs),
                       .fits = fits_of(runs),
                       .lines = lines_of(runs),
                       .chains = chains->size(),
                       .missing = chains->size() - played.size(),
                       .unsteady = played.size() - used.size() - limited.size(),
                       .limited = limited.size()};
}

}  // namespace truewatt::memory
