#include "truewatt/memory/product_rounds.hpp"

#include <optional>

#include "truewatt/memory/judgement.hpp"
#include "truewatt/memory/observed_fit.hpp"
#include "truewatt/memory/products.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::Point;
using microbenchmark::PointOf;
using uncertainty::Budget;

/// Products are few and count.
constexpr double kProductStretch = 2.0;
constexpr int kProductRounds = 2;

/// All stretches of a kernel together.
std::optional<ProductRun> product_run(const Observations& seen, const kernels::Kernel& kernel) {
  const auto spin = seen.baselines.spin_at(1.0);
  if (!spin) return std::nullopt;
  ProductRun all;
  std::vector<Budget> above;
  std::vector<Budget> idle;
  std::vector<Budget> spinning;
  const double idle_u_w = seen.baselines.idle_u_w();
  for (const Point& point : seen.baselines.steady(seen.others)) {
    if (point.of.kernel.get() != &kernel) continue;
    above.push_back(above_idle(point, idle_u_w));
    idle.push_back(point.idle_j);
    spinning.push_back(spin->scaled(point.length.count()));
    all.iterations += point.iterations;
  }
  if (above.empty()) return std::nullopt;
  all.above_idle_j = uncertainty::sum(above);
  all.idle_j = uncertainty::sum(idle);
  all.spin_j = uncertainty::sum(spinning);
  return all;
}

/// The path of loads and stores of random bits. Of computed sectors stores are few: where they have
/// no path, loads stand in.
PathOf paths_of(const Observations& seen, bool counted) {
  return
      [&seen, counted](Level level, kernels::MemoryOperation operation) -> std::optional<Budget> {
        using kernels::MemoryOperation;
        const auto path_for = [&](MemoryOperation one) -> std::optional<Budget> {
          const auto column = column_of(seen, {level, one, kernels::Data::random}, level);
          if (!column) return std::nullopt;
          const bool rests_on_level = !counted && one == MemoryOperation::load;
          if (rests_on_level && !seen.plan.rows[*column].valid) return std::nullopt;
          return path_of(seen, *column);
        };
        auto path = path_for(operation);
        if (!path && !counted) path = path_for(MemoryOperation::load);
        return path;
      };
}

}  // namespace

Result<ProductEnergies> measure_products(load::Load& load, counters::Counters* counters,
                                         Rounds& rounds, Observations& seen, Seconds until) {
  const bool counted = counters != nullptr;
  auto products =
      counted ? make_products(load, *counters) : compute_products(load, seen.sizes.l2_bytes);
  if (!products) return Unexpected(products.error());
  std::vector<PointOf> points;
  for (const Product& product : *products) {
    for (const auto& kernel : {product.kernel, product.twin}) {
      points.push_back({seen.points.size(), 0, kernel, 1.0, kProductStretch});
    }
  }
  seen.others.clear();
  rounds.shorten();
  for (int round = 0; round < kProductRounds; ++round) {
    const auto played = rounds.play(points, until, "products of matrices");
    if (!played) return Unexpected(played.error());
  }
  if (!counted) tell_levels_apart(seen);
  ProductEnergies all;
  for (const Product& product : *products) {
    const auto run = product_run(seen, *product.kernel);
    const auto twin = product_run(seen, *product.twin);
    const auto predicted =
        run && twin ? predict_product(product, *run, *twin, paths_of(seen, counted)) : std::nullopt;
    if (predicted) {
      all.predicted.push_back(*predicted);
    } else {
      all.missing.push_back(product.product.size);
    }
  }
  return all;
}

}  // namespace truewatt::memory
