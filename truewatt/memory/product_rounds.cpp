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

}  // namespace

Result<std::vector<PredictedProduct>> measure_products(load::Load& load,
                                                       counters::Counters& counters, Rounds& rounds,
                                                       Observations& seen, Seconds until) {
  auto products = make_products(load, counters);
  if (!products) return Unexpected(products.error());
  std::vector<PointOf> points;
  for (const Product& product : *products) {
    for (const auto& kernel : {product.kernel, product.twin}) {
      points.push_back({seen.points.size(), 0, kernel, 1.0, kProductStretch});
    }
  }
  seen.others.clear();
  rounds.shorten(kBriefStretch);
  for (int round = 0; round < kProductRounds; ++round) {
    const auto played = rounds.play(points, until, "products of matrices");
    if (!played) return Unexpected(played.error());
  }
  std::vector<PredictedProduct> all;
  for (const Product& product : *products) {
    const auto run = product_run(seen, *product.kernel);
    const auto twin = product_run(seen, *product.twin);
    if (!run || !twin) continue;
    const auto predicted =
        predict_product(product, *run, *twin, [&](Level level, kernels::MemoryOperation operation) {
          const auto column = column_of(seen, {level, operation, kernels::Data::random}, level);
          return column ? path_of(seen, *column) : std::nullopt;
        });
    if (predicted) all.push_back(*predicted);
  }
  return all;
}

}  // namespace truewatt::memory
