#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/counters/counters.hpp"
#include "truewatt/kernels/memory/matrix_product.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/memory/served.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::memory {

/// Sectors of one iteration of one thread, as counted; or, computed, the middle of what they may
/// be, with half of the range: what the farthest levels would serve more, and nearer ones less.
struct ProductSectors {
  Served loads{};
  Served stores{};
  Served loads_range{};
  Served stores_range{};
};

/// A product of matrices with its twin that moves nothing, and where its sectors were served.
struct Product {
  kernels::MatrixProduct product;
  std::shared_ptr<const kernels::Kernel> kernel;
  std::shared_ptr<const kernels::Kernel> twin;
  ProductSectors sectors{};
  bool counted = true;
};

/// Compiled products of 512, 1024, 2048 and 4096 rows, counted. Errors: those of the device and of
/// the counters.
Result<std::vector<Product>> make_products(load::Load& load, counters::Counters& counters);

/// The sectors of a kernel by what it says of its accesses, without counters. Shared memory serves
/// what is asked of it. Of an array of b bytes that is read through again and again, an L2 of
/// `l2_bytes` keeps its own size at the most, so DRAM serves 1 - l2/b at least; it keeps all of
/// half its size, for where it has two partitions each may hold what the other does. What all
/// blocks read together may be asked of L2 once for several of them, or by each (an H100's L2 got
/// 0.69 to 0.82 of a product's requests). Pure.
ProductSectors compute_sectors(const kernels::Kernel& kernel, double l2_bytes);

/// The same products with computed sectors. Errors: those of the device.
Result<std::vector<Product>> compute_products(load::Load& load, double l2_bytes);

/// What was measured of a product or its twin.
struct ProductRun {
  uncertainty::Budget above_idle_j;
  uncertainty::Budget idle_j;
  uncertainty::Budget spin_j;  ///< what spinning would have drawn of it, above idle
  double iterations = 0.0;     ///< of all threads together
};

/// The path of a sector at a level; nothing where the table has none.
using PathOf = std::function<std::optional<uncertainty::Budget>(Level, kernels::MemoryOperation)>;

/// Energy of one product: measured, and predicted from what its sectors cost by the table, what its
/// twin draws above spinning, and spinning for as long as it took (Delestrac et al. 2024, section
/// V-C, with what they leave as "rest"). Computed sectors add half of their range over the root of
/// 2: either end is likelier than the middle. Nothing where a level that serves more than a
/// hundredth has no path. Pure.
std::optional<PredictedProduct> predict_product(const Product& product, const ProductRun& run,
                                                const ProductRun& twin, const PathOf& path_of);

}  // namespace truewatt::memory
