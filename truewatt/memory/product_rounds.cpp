#include "truewatt/memory/product_rounds.hpp"

#include <algorithm>
#include <optional>

#include "truewatt/memory/judgement.hpp"
#include "truewatt/memory/observed_fit.hpp"
#include "truewatt/memory/power_limit.hpp"
#include "truewatt/memory/products.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::Point;
using microbenchmark::PointOf;
using uncertainty::Budget;

/// Products are few and count.
constexpr double kProductStretch = 2.0;
constexpr int kProductRounds = 2;
/// Of the multiprocessors, the smallest share that a product is tried on which meets a limit.
constexpr double kFewest = 1.0 / 8;

/// A product and its twin, on as many multiprocessors as no limit slows down.
struct Turn {
  const Product* product = nullptr;
  double share = 1.0;
};

bool is_of(const Point& point, const Turn& turn) {
  const auto* kernel = point.of.kernel.get();
  const bool own = kernel == turn.product->kernel.get() || kernel == turn.product->twin.get();
  return own && point.of.share == turn.share;
}

/// At a lowered clock a sector costs less than the table says.
bool meets_limit(const Observations& seen, const Turn& turn) {
  return std::any_of(seen.others.begin(), seen.others.end(), [&](const Point& point) {
    return is_of(point, turn) && is_limited(seen, point);
  });
}

/// False: the time is over.
Result<bool> play_turns(Rounds& rounds, const Observations& seen, const std::vector<Turn>& turns,
                        Seconds until) {
  std::vector<PointOf> points;
  for (const Turn& turn : turns) {
    for (const auto& kernel : {turn.product->kernel, turn.product->twin}) {
      points.push_back({seen.points.size(), 0, kernel, turn.share, kProductStretch});
    }
  }
  for (int round = 0; round < kProductRounds; ++round) {
    auto played = rounds.play(points, until, "products of matrices");
    if (!played || !*played) return played;
  }
  return true;
}

/// All stretches of a kernel on that share of the multiprocessors together.
std::optional<ProductRun> product_run(const Observations& seen, const kernels::Kernel& kernel,
                                      double share) {
  const auto spin = seen.baselines.spin_at(share);
  if (!spin) return std::nullopt;
  ProductRun all;
  std::vector<Budget> above;
  std::vector<Budget> idle;
  std::vector<Budget> spinning;
  const double idle_u_w = seen.baselines.idle_u_w();
  for (const Point& point : seen.baselines.steady(seen.others)) {
    if (point.of.kernel.get() != &kernel || point.of.share != share) continue;
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
  std::vector<Turn> turns;
  for (const Product& product : *products) turns.push_back({&product});
  seen.others.clear();
  rounds.shorten();
  std::vector<Turn> next = turns;
  while (!next.empty()) {
    const auto played = play_turns(rounds, seen, next, until);
    if (!played) return Unexpected(played.error());
    next.clear();
    if (!*played) break;
    for (Turn& turn : turns) {
      if (!meets_limit(seen, turn) || turn.share / 2 < kFewest) continue;
      turn.share /= 2;
      next.push_back(turn);
    }
  }
  if (!counted) tell_levels_apart(seen);
  ProductEnergies all;
  for (const Turn& turn : turns) {
    const Product& product = *turn.product;
    const auto run = product_run(seen, *product.kernel, turn.share);
    const auto twin = product_run(seen, *product.twin, turn.share);
    const bool limited = meets_limit(seen, turn);
    const auto predicted = run && twin && !limited
                               ? predict_product(product, *run, *twin, paths_of(seen, counted))
                               : std::nullopt;
    if (predicted) {
      all.predicted.push_back(*predicted);
    } else {
      (limited ? all.limited : all.missing).push_back(product.product.size);
    }
  }
  return all;
}

}  // namespace truewatt::memory
