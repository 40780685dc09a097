#include "truewatt/memory/caches.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/testing/memory_board.hpp"

namespace truewatt::memory {
namespace {

using CachesOfBoard = testing_support::MemoryBoard;

TEST_F(CachesOfBoard, FindsTheCachesByCountsAndByTime) {
  for (const bool counters : {true, false}) {
    Options options = quick(counters);
    options.only_caches = true;
    const Table table = measured("", options);
    SCOPED_TRACE(table.verified_by);
    ASSERT_TRUE(table.caches.l1_bytes && table.caches.l2_bytes);
    EXPECT_NEAR(*table.caches.l1_bytes, 98304, 0.1 * 98304);
    EXPECT_NEAR(*table.caches.l2_bytes, 25165824, 0.1 * 25165824);
    EXPECT_EQ(table.caches.sector_bytes, 32);
    EXPECT_EQ(table.caches.line_bytes, 128);
    EXPECT_EQ(table.caches.l1_curve.front().misses.has_value(), counters);
    EXPECT_TRUE(table.levels.empty());
  }
}

TEST_F(CachesOfBoard, FindsSmallAndLargeCaches) {
  struct Sizes {
    double l1, l2;
  };
  for (const Sizes& hidden : {Sizes{8192, 262144}, Sizes{16384, 262144}, Sizes{24576, 1048576},
                              Sizes{524288, 4194304}, Sizes{1048576, 134217728}}) {
    for (const bool counters : {true, false}) {
      SCOPED_TRACE(fmt::format("{} and {} bytes, {}", hidden.l1, hidden.l2, counters));
      std::string toml = board("");
      toml.resize(toml.find("[caches]"));
      toml += fmt::format("[caches]\nl1_bytes = {}\nl2_bytes = {}\n", hidden.l1, hidden.l2);
      Options options = quick(counters);
      options.only_caches = true;
      const Caches found = measured_as(toml, options).caches;
      EXPECT_NEAR(found.l1_bytes.value_or(0), hidden.l1, 0.1 * hidden.l1);
      EXPECT_NEAR(found.l2_bytes.value_or(0), hidden.l2, 0.1 * hidden.l2);
      EXPECT_EQ(found.sector_bytes, 32);
      EXPECT_EQ(found.line_bytes, 128);
    }
  }
}

// To count takes a GPU longer than to time: where that would take too long, times tell the sizes.
TEST_F(CachesOfBoard, ThatWouldBeCountedForTooLongAreTimed) {
  const auto path = folder_.path() / "board.toml";
  std::ofstream(path) << board("");
  for (const bool is_short : {false, true}) {
    auto set = devices::open_devices({.selectors = {"sim:" + path.string()}}, {});
    ASSERT_TRUE(set) << set.error().message;
    const auto load = devices::make_load(*set, set->devices.front(), {});
    ASSERT_TRUE(load);
    const auto counters = devices::make_counters(set->devices.front());
    Seconds spent{0};
    const auto found = find_caches(**load, {.counters = counters.get(),
                                            .spent = [&] { return spent += Seconds(0.1); },
                                            .count_until = Seconds(is_short ? 10 : 100)});
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->l1_bytes.value_or(0), 98304, 0.1 * 98304);
    EXPECT_NEAR(found->l2_bytes.value_or(0), 25165824, 0.1 * 25165824);
    for (const auto* curve : {&found->l1_curve, &found->l2_curve}) {
      for (const CachePoint& point : *curve) EXPECT_EQ(point.misses.has_value(), !is_short);
    }
    if (is_short) {
      EXPECT_LT(spent.count(), 10);
    }
  }
}

/// Between L1 and an L2 that is hardly larger times show one step, of L2.
TEST_F(CachesOfBoard, AnL2HardlyLargerThanL1IsNotTakenForIt) {
  std::string toml = board("");
  toml.resize(toml.find("[caches]"));
  toml += "[caches]\nl1_bytes = 196608\nl2_bytes = 262144\n";
  Options options = quick();
  options.only_caches = true;
  const Caches counted = measured_as(toml, options).caches;
  EXPECT_NEAR(counted.l1_bytes.value_or(0), 196608, 0.1 * 196608);
  EXPECT_NEAR(counted.l2_bytes.value_or(0), 262144, 0.1 * 262144);
  options.counters = false;
  const Caches timed = measured_as(toml, options).caches;
  EXPECT_FALSE(timed.l1_bytes);
  EXPECT_NEAR(timed.l2_bytes.value_or(0), 262144, 0.1 * 262144);
}

TEST(SizeOfStep, IsAQuarterOfTheWayBetweenThePlateaus) {
  std::vector<CachePoint> curve;
  for (const double bytes : {1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3}) {
    curve.push_back({bytes, bytes < 6e3 ? 1.0 : bytes < 10e3 ? 1.5 : 3.0, std::nullopt});
  }
  EXPECT_NEAR(size_of_step(curve).value_or(0), 8e3 * std::pow(2.0, 0.4), 1.0);
  // Time goes before misses, which an H100 has few of until an array is a fifth larger than L1.
  for (CachePoint& point : curve) point.misses = point.bytes < 10e3 ? 0.0 : 1.0;
  EXPECT_NEAR(size_of_step(curve).value_or(0), 8e3 * std::pow(2.0, 0.4), 1.0);
  // A step of times that is far from the misses' is another one, or an error of timing.
  for (CachePoint& point : curve) point.misses = point.bytes < 3e3 ? 0.0 : 1.0;
  EXPECT_NEAR(size_of_step(curve).value_or(0), 2e3 * std::pow(2.0, 0.4), 1.0);
  for (CachePoint& point : curve) point.misses = point.bytes < 10e3 ? 0.0 : 1.0;
  for (CachePoint& point : curve) point.seconds = 1.0;
  EXPECT_NEAR(size_of_step(curve).value_or(0), 8e3 * std::pow(2.0, 0.4), 1.0);
  for (CachePoint& point : curve) point = {point.bytes, 1.0, std::nullopt};
  EXPECT_FALSE(size_of_step(curve));
}

TEST(SizeOfStep, IsNotSeenWhereTheCurveEndsInIt) {
  std::vector<CachePoint> curve;
  for (const double bytes : {1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3}) {
    curve.push_back({bytes, bytes < 20e3 ? 1.0 : 3.0, bytes < 20e3 ? 0.0 : 1.0});
  }
  EXPECT_FALSE(size_of_step(curve));
}

TEST(SizeOfStep, IsNotThatOfTheNextCache) {
  std::vector<CachePoint> curve;
  for (double bytes = 1e3; bytes < 1e6; bytes *= 1.25) {
    curve.push_back({bytes, bytes < 9e3 ? 1.0 : bytes < 90e3 ? 1.5 : 4.0, std::nullopt});
  }
  EXPECT_NEAR(size_of_step(curve, 90e3).value_or(0), 9e3, 1.5e3);
  EXPECT_NEAR(size_of_step(curve).value_or(0), 90e3, 10e3);
}

}  // namespace
}  // namespace truewatt::memory
