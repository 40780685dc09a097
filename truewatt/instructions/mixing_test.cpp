#include "truewatt/instructions/mixing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace truewatt::instructions {
namespace {

using uncertainty::Budget;
using uncertainty::Cause;

std::vector<Budget> shares_of(const std::vector<double>& values) {
  std::vector<Budget> shares;
  for (const double value : values) shares.emplace_back(value);
  return shares;
}

TEST(Mixing, IsTheMeanOfPairsAndHowTheyScatter) {
  const auto mixing = mixing_of(shares_of({0.0, 0.1, 0.1, 0.2, 0.1}));
  ASSERT_TRUE(mixing);
  EXPECT_NEAR(mixing->share, 0.1, 1e-12);
  // Student's t of four degrees of freedom, 2.776, over 1.96.
  EXPECT_NEAR(mixing->scatter, 2.776 / 1.96 * std::sqrt(0.02 / 4), 1e-3);
  EXPECT_NEAR(mixing->share_u, mixing->scatter / std::sqrt(5), 1e-12);
}

TEST(Mixing, ThreePairsTellNothing) { EXPECT_FALSE(mixing_of(shares_of({0.1, 0.1, 0.1}))); }

TEST(Mixing, WhatAllPairsErrByAlikeStays) {
  std::vector<Budget> shares = shares_of({0.1, 0.1, 0.1, 0.1});
  for (Budget& share : shares) share.add(Cause::model, 0.02);
  const auto mixing = mixing_of(shares);
  ASSERT_TRUE(mixing);
  EXPECT_NEAR(mixing->share_u, 0.02, 1e-9);
}

TEST(Mixing, OfMoreKindsMorePairsMixAndScatterAveragesOut) {
  const Mixing mixing{.share = 0.12, .share_u = 0.0, .scatter = 0.1};
  const std::vector<double> two{50, 50};
  const std::vector<double> four{25, 25, 25, 25};
  EXPECT_NEAR(drawn_by_mixing(mixing, two).value(), 0.12 * 0.5 * 100, 1e-9);
  EXPECT_NEAR(drawn_by_mixing(mixing, four).value(), 0.12 * 0.75 * 100, 1e-9);
  EXPECT_NEAR(drawn_by_mixing(mixing, two).standard_uncertainty(), 0.1 * 0.5 * 100, 1e-9);
  // Six pairs of an eighth each.
  EXPECT_NEAR(drawn_by_mixing(mixing, four).standard_uncertainty(), 10 * std::sqrt(6) / 8, 1e-9);
  EXPECT_EQ(drawn_by_mixing(mixing, std::vector<double>{100}).value(), 0.0);
  EXPECT_EQ(drawn_by_mixing(mixing, std::vector<double>{}).value(), 0.0);
}

TEST(Mixing, PairsAreThoseWhoseRowsAreThere) {
  const std::vector<RowKey> keys{{.instruction = "add.f32"},
                                 {.instruction = "xor.b32"},
                                 {.instruction = "add.s32"},
                                 {"mul.f32", kernels::Optimization::O0}};
  EXPECT_EQ(mixed_pairs_of(keys).size(), 2U) << "with the bits, and no product at O3";
}

}  // namespace
}  // namespace truewatt::instructions
