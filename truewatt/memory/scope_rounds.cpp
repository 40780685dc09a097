#include "truewatt/memory/scope_rounds.hpp"

#include <algorithm>
#include <vector>

#include "truewatt/memory/judgement.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::Point;
using microbenchmark::PointOf;

/// Of walks while the sensor of the memory is looked at, which averages over a second.
constexpr Seconds kScopeStretch{4.0};

/// The last loop of a row, which has most accesses.
std::optional<std::size_t> loop_of(const Observations& seen, Level level) {
  const auto column =
      column_of(seen, {level, kernels::MemoryOperation::load, kernels::Data::random}, level);
  std::optional<std::size_t> last;
  for (std::size_t i = 0; column && i < seen.plan.loops.size(); ++i) {
    if (seen.plan.loops[i].row == *column && seen.plan.rows[*column].valid) last = i;
  }
  return last;
}

/// The last stretch of a loop during which the memory was read; null without one.
const Point* last_read(const Observations& seen, std::size_t loop) {
  const auto& all = seen.points[loop];
  const auto found =
      std::find_if(all.rbegin(), all.rend(), [](const Point& point) { return point.memory_w; });
  return found != all.rend() ? &*found : nullptr;
}

std::optional<MemoryScope> scope_of(const Observations& seen, std::size_t l2, std::size_t dram) {
  const Point* near = last_read(seen, l2);
  const Point* far = last_read(seen, dram);
  if (near == nullptr || far == nullptr || *far->memory_w <= *near->memory_w) return std::nullopt;
  return MemoryScope{*near->memory_w, *far->memory_w,
                     kSectorBytes * total_of(seen.plan.loops[dram].served) * far->iterations /
                         far->length.count()};
}

}  // namespace

bool reads_memory(const devices::Device& device) {
  const auto& sources = device.sensor->sources();
  return std::any_of(sources.begin(), sources.end(), [](const sensor::SourceStatus& one) {
    return one.source.scope == Scope::memory && !counts_energy(one.source);
  });
}

Seconds length_of_scope() {
  return 2 * kScopeStretch + microbenchmark::length_of_batch(2, kBriefStretch);
}

Result<std::optional<MemoryScope>> measure_scope(Rounds& rounds, Observations& seen,
                                                 const Options& options) {
  const auto l2 = loop_of(seen, Level::l2);
  const auto dram = loop_of(seen, Level::dram);
  if (!l2 || !dram) return std::optional<MemoryScope>();
  std::vector<PointOf> points;
  for (const std::size_t i : {*l2, *dram}) {
    const Loop& loop = seen.plan.loops[i];
    points.push_back({i, loop.pattern.copies, loop.kernel, 1.0, kScopeStretch / rounds.length()});
  }
  const auto played = rounds.play(points, options.budget, "what the memory's own sensor reads");
  if (!played) return Unexpected(played.error());
  fit_and_judge(seen, options.target);
  return scope_of(seen, *l2, *dram);
}

}  // namespace truewatt::memory
