#include "truewatt/memory/products.hpp"

#include <algorithm>
#include <cmath>

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
/// Of its size, what an L2 of two partitions keeps at the least.
constexpr double kKeptByL2 = 0.5;
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
    Served& served =
        operation == MemoryOperation::load ? product.sectors.loads : product.sectors.stores;
    served = served_both(*more, operation);
    const Served less = served_both(*few, operation);
    for (std::size_t i = 0; i < kLevels; ++i) {
      served[i] = std::max(0.0, served[i] - less[i]) / passes;
    }
  }
  return {};
}

/// Adds what lies between the nearest and the farthest that may have served an access.
void add_range(const kernels::MemoryAccess& access, double l2_bytes, Served& middle,
               Served& range) {
  const auto add = [&](Level level, double nearest, double farthest) {
    middle[static_cast<std::size_t>(level)] += 0.5 * (farthest + nearest) * access.sectors;
    range[static_cast<std::size_t>(level)] += 0.5 * (farthest - nearest) * access.sectors;
  };
  if (access.space == MemorySpace::shared) {
    add(Level::shared, 1.0, 1.0);
    return;
  }
  const double least = std::max(0.0, 1.0 - l2_bytes / access.bytes);
  const double most = access.bytes > kKeptByL2 * l2_bytes ? 1.0 : 0.0;
  const bool together = access.of_block && access.same;
  add(Level::l2, together ? 0.0 : 1.0 - least, 1.0 - most);
  add(Level::dram, least, most);
}

/// Joules by which sectors of this range move a prediction.
double range_joules(const Served& range, MemoryOperation operation, const PathOf& path_of) {
  double joules = 0.0;
  for (const Level level : kAllLevels) {
    const double sectors = range[static_cast<std::size_t>(level)];
    const auto path = sectors != 0 ? path_of(level, operation) : std::nullopt;
    if (path) joules += sectors * path->value();
  }
  return std::abs(joules);
}

/// Compiled, with sectors as `look` finds them.
template <class Look>
Result<std::vector<Product>> products_with(load::Load& load, Look look) {
  std::vector<Product> products;
  for (const unsigned size : kSizes) {
    Product product{.product = {.size = size}};
    if (auto done = compile_both(load, product); !done) return Unexpected(done.error());
    if (Result<void> done = look(product); !done) return Unexpected(done.error());
    products.push_back(std::move(product));
  }
  return products;
}

}  // namespace

Result<std::vector<Product>> make_products(load::Load& load, counters::Counters& counters) {
  const counters::InARow row(&counters);
  return products_with(load, [&](Product& product) { return count(load, counters, product); });
}

ProductSectors compute_sectors(const kernels::Kernel& kernel, double l2_bytes) {
  ProductSectors sectors;
  for (const kernels::MemoryAccess& access : kernel.memory()) {
    const bool loads = access.operation == MemoryOperation::load;
    add_range(access, l2_bytes, loads ? sectors.loads : sectors.stores,
              loads ? sectors.loads_range : sectors.stores_range);
  }
  return sectors;
}

Result<std::vector<Product>> compute_products(load::Load& load, double l2_bytes) {
  return products_with(load, [&](Product& product) -> Result<void> {
    product.sectors = compute_sectors(*product.kernel, l2_bytes);
    product.counted = false;
    return {};
  });
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
  PredictedProduct predicted{.size = product.product.size, .counted = product.counted};
  double unknown_j = 0.0;
  predicted.computing_j = computing.value();
  predicted.spinning_j = parts.back().value();
  for (const MemoryOperation operation : {MemoryOperation::load, MemoryOperation::store}) {
    const bool loads = operation == MemoryOperation::load;
    const Served& served = loads ? product.sectors.loads : product.sectors.stores;
    unknown_j +=
        passes * range_joules(loads ? product.sectors.loads_range : product.sectors.stores_range,
                              operation, path_of);
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
  // Caches keep an array or they do not: the ends are likelier than the middle (arcsine).
  above_idle.add(uncertainty::Cause::misfit, unknown_j / std::sqrt(2.0));
  const Budget idle = run.idle_j.scaled(share);
  predicted.predicted_j = uncertainty::interval_on_scale(above_idle);
  predicted.measured_j = uncertainty::interval_on_scale(run.above_idle_j.scaled(share));
  predicted.static_j = idle.value();
  return predicted;
}

}  // namespace truewatt::memory
