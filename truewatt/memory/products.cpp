#include "truewatt/memory/products.hpp"

#include <algorithm>

#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::memory {
namespace {

using kernels::MemoryOperation;
using kernels::MemorySpace;
using uncertainty::Budget;

constexpr unsigned kSizes[] = {512, 1024, 2048, 4096};
constexpr double kProductThreads = double{kernels::kTile} * kernels::kTile;
constexpr std::uint32_t kFewTiles = 8;
constexpr std::uint32_t kMoreTiles = 40;
constexpr double kLeastServed = 0.01;
/// What barriers and addresses of tiles are of a prediction, which does not count them, and what
/// tiles are not like chains: on two H100s, two H200s and simulated boards predictions are 2.9 %
/// low to 3.8 % high.
constexpr double kLeftOut = 0.02;

Result<void> compile_both(load::Load& load, Product& product) {
  kernels::MatrixProduct twin = product.product;
  twin.without = true;
  product.kernel = kernels::make_matrix_product(product.product);
  product.twin = kernels::make_matrix_product(twin);
  for (const auto& kernel : {product.kernel, product.twin}) {
    if (const auto compiled = load.compile(kernel); !compiled) {
      return Unexpected(compiled.error());
    }
  }
  return {};
}

/// Where loads or stores of shared and of global memory were served, together.
Served served_both(const counters::Counts& counts, MemoryOperation operation) {
  Served all{};
  for (const MemorySpace space : {MemorySpace::shared, MemorySpace::global}) {
    const Served one = served_of(counts, {.space = space, .operation = operation});
    for (std::size_t i = 0; i < kLevels; ++i) all[i] += one[i];
  }
  return all;
}

Result<void> count(load::Load& load, counters::Counters& counters, Product& product) {
  double threads = 0.0;
  const auto launched = [&](std::uint32_t iterations) {
    return counters.count([&]() -> Result<void> {
      const auto done = load.launch(*product.kernel, 1.0, iterations);
      if (!done) return Unexpected(done.error());
      threads = done->threads;
      return {};
    });
  };
  const auto few = launched(kFewTiles);
  if (!few) return Unexpected(few.error());
  const auto more = launched(kMoreTiles);
  if (!more) return Unexpected(more.error());
  const double passes = threads * (kMoreTiles - kFewTiles);
  for (const MemoryOperation operation : {MemoryOperation::load, MemoryOperation::store}) {
    Served& served = operation == MemoryOperation::load ? product.loads : product.stores;
    served = served_both(*more, operation);
    const Served less = served_both(*few, operation);
    for (std::size_t i = 0; i < kLevels; ++i) {
      served[i] = std::max(0.0, served[i] - less[i]) / passes;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Product>> make_products(load::Load& load, counters::Counters& counters) {
  std::vector<Product> products;
  for (const unsigned size : kSizes) {
    Product product{.product = {.size = size}};
    if (auto done = compile_both(load, product); !done) return Unexpected(done.error());
    if (auto done = count(load, counters, product); !done) return Unexpected(done.error());
    products.push_back(std::move(product));
  }
  return products;
}

std::optional<PredictedProduct> predict_product(const Product& product, const ProductRun& run,
                                                const ProductRun& twin, const PathOf& path_of) {
  if (run.iterations <= 0 || twin.iterations <= 0) return std::nullopt;
  // Threads that each do one element of every tile.
  const double passes = kProductThreads * tiles_of(product.product);
  const double share = passes / run.iterations;
  const Budget computing =
      uncertainty::difference(twin.above_idle_j, twin.spin_j).scaled(passes / twin.iterations);
  std::vector<Budget> parts{computing, run.spin_j.scaled(share)};
  PredictedProduct predicted{.size = product.product.size};
  predicted.computing_j = computing.value();
  predicted.spinning_j = parts.back().value();
  for (const MemoryOperation operation : {MemoryOperation::load, MemoryOperation::store}) {
    const Served& served = operation == MemoryOperation::load ? product.loads : product.stores;
    for (const Level level : kAllLevels) {
      const double sectors = served[static_cast<std::size_t>(level)];
      if (sectors <= 0) continue;
      const auto path = path_of(level, operation);
      if (!path && share_at(served, level) > kLeastServed) return std::nullopt;
      if (!path) continue;
      parts.push_back(path->scaled(sectors * passes));
      predicted.levels_j[static_cast<std::size_t>(level)] += parts.back().value();
    }
  }
  Budget above_idle = uncertainty::sum(parts);
  above_idle.add(uncertainty::Cause::model, kLeftOut * above_idle.value());
  const Budget idle = run.idle_j.scaled(share);
  predicted.predicted_j = uncertainty::interval_on_scale(above_idle);
  predicted.measured_j = uncertainty::interval_on_scale(run.above_idle_j.scaled(share));
  predicted.static_j = idle.value();
  return predicted;
}

}  // namespace truewatt::memory
