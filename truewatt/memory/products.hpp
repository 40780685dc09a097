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

/// A product of matrices with its twin that moves nothing, and where its sectors were served.
struct Product {
  kernels::MatrixProduct product;
  std::shared_ptr<const kernels::Kernel> kernel;
  std::shared_ptr<const kernels::Kernel> twin;
  Served loads{};  ///< of one iteration of one thread
  Served stores{};
};

/// Compiled products of 512, 1024, 2048 and 4096 rows, counted. Errors: those of the device and of
/// the counters.
Result<std::vector<Product>> make_products(load::Load& load, counters::Counters& counters);

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
/// V-C, with what they leave as "rest"). Nothing where a level that serves more than a hundredth
/// has no path. Pure.
std::optional<PredictedProduct> predict_product(const Product& product, const ProductRun& run,
                                                const ProductRun& twin, const PathOf& path_of);

}  // namespace truewatt::memory
