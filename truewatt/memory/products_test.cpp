#include "truewatt/memory/products.hpp"

#include <gtest/gtest.h>

namespace truewatt::memory {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

double at(const Served& served, Level level) { return served[static_cast<std::size_t>(level)]; }

/// Of a thread: n/32 steps, in each a float of A and of B, four sectors a warp.
TEST(ComputedSectors, OfAProductWhoseMatricesStayInL2) {
  const auto kernel = kernels::make_matrix_product({.size = 512});
  const ProductSectors sectors = compute_sectors(*kernel, 50 * kMiB);
  const double one = 512.0 / 32 * 4 / 32;
  // A wavefront for a float of B, two for four floats of A, the same for all lanes.
  EXPECT_DOUBLE_EQ(at(sectors.loads, Level::shared), 512.0 * (1 + 2.0 / 4) * 4 / 32);
  // B from L2; A from L2 for every block, or once for all of them.
  EXPECT_DOUBLE_EQ(at(sectors.loads, Level::l2), 1.5 * one);
  EXPECT_DOUBLE_EQ(at(sectors.loads_range, Level::l2), 0.5 * one);
  EXPECT_EQ(at(sectors.loads, Level::l1) + at(sectors.loads, Level::dram), 0);
  EXPECT_DOUBLE_EQ(at(sectors.stores, Level::l2), 4.0 / 32);
  EXPECT_EQ(at(sectors.stores_range, Level::l2), 0);
}

/// B has 64 MiB: of it 14 at least come from DRAM, or all. An H100 of 50 MiB took 0.98 of B.
TEST(ComputedSectors, OfAProductWhoseMatricesDoNot) {
  const auto kernel = kernels::make_matrix_product({.size = 4096});
  const ProductSectors sectors = compute_sectors(*kernel, 50 * kMiB);
  const double one = 4096.0 / 32 * 4 / 32;
  EXPECT_NEAR(at(sectors.loads, Level::dram), 0.5 * (1 + 14.0 / 64) * one, 1e-9);
  EXPECT_NEAR(at(sectors.loads_range, Level::dram), 0.5 * (1 - 14.0 / 64) * one, 1e-9);
  EXPECT_NEAR(at(sectors.loads, Level::l2), 0.5 * (1 + 50.0 / 64) * one, 1e-9);
  EXPECT_NEAR(at(sectors.loads, Level::dram) + at(sectors.loads_range, Level::dram), one, 1e-9);
}

/// An H100's table of docs/tables/memory_h100_products.json: what it counted lies in the range.
TEST(ComputedSectors, HoldWhatAnH100Counted) {
  struct Counted {
    unsigned size;
    double shared_j, l2_j, dram_j;
  };
  constexpr double kLoad = 0.13995e-9, kStore = 0.18068e-9, kL2 = 1.2539e-9, kDram = 4.2692e-9;
  for (const Counted& counted :
       {Counted{512, 3.7708e-3, 1.0814e-3, 5.96e-8}, Counted{1024, 30.160e-3, 8.3503e-3, 0},
        Counted{2048, 240.91e-3, 57.241e-3, 4.3086e-3},
        Counted{4096, 1915.69e-3, 283.63e-3, 1136.99e-3}}) {
    SCOPED_TRACE(counted.size);
    const auto kernel = kernels::make_matrix_product({.size = counted.size});
    const ProductSectors sectors = compute_sectors(*kernel, 50.3e6);
    const auto rows = static_cast<double>(counted.size);
    const double threads = rows * rows;
    const auto joules = [&](const Served& served) {
      return threads * (at(served, Level::l2) * kL2 + at(served, Level::dram) * kDram);
    };
    const double middle = joules(sectors.loads) + joules(sectors.stores);
    const double range = joules(sectors.loads_range) + joules(sectors.stores_range);
    EXPECT_NEAR(middle, counted.l2_j + counted.dram_j, range);
    const double shared = threads * (at(sectors.loads, Level::shared) * kLoad +
                                     at(sectors.stores, Level::shared) * kStore);
    EXPECT_NEAR(counted.shared_j, shared, 0.03 * shared);
  }
}

}  // namespace
}  // namespace truewatt::memory
