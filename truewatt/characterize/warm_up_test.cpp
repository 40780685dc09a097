#include "truewatt/characterize/warm_up.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::characterize {
namespace {

/// A board whose warmth follows its work with one time constant, and that says how warm it is.
struct Board {
  double time_constant = 10.0;  // s
  double warmth = 0.0;
  double worked = 0.0;  // s
  double rested = 0.0;
  int pieces = 0;

  void pass(double level, double seconds) {
    warmth = level + (warmth - level) * std::exp(-seconds / time_constant);
  }
  WarmUpSteps steps() {
    return {.work =
                [this](const load::Schedule& piece) {
                  const double work = piece.steps.back().at.count();
                  pass(1.0, work);
                  pass(0.0, piece.duration.count() - work);
                  worked += piece.duration.count();
                  ++pieces;
                  return Result<void>();
                },
            .rest =
                [this](Seconds length) {
                  pass(0.0, length.count());
                  rested += length.count();
                },
            .warmth = [this]() -> std::optional<identification::Warmth> {
              return identification::Warmth{.time_constant_s = time_constant, .now = warmth};
            },
            .stopped = [] { return false; }};
  }
};

TEST(WarmUp, WorksUntilTheBoardIsAsWarmAsRandomWorkKeepsIt) {
  Board board;
  std::mt19937_64 rng(1);
  ASSERT_TRUE(warm_up(board.steps(), Seconds(60), rng));
  EXPECT_NEAR(board.warmth, 0.48, 0.05);
  // Work without pauses would take 10 s * ln(1/0.52) = 6.5 s.
  EXPECT_GT(board.worked, 6.5);
  EXPECT_LT(board.worked, 10.0);
  EXPECT_GE(board.pieces, 3);
  EXPECT_EQ(board.rested, 0.0);
}

TEST(WarmUp, TakesNoMoreThanItMay) {
  Board board{.time_constant = 200.0};
  std::mt19937_64 rng(1);
  ASSERT_TRUE(warm_up(board.steps(), Seconds(10), rng));
  EXPECT_NEAR(board.worked, 10.0, 0.5);
}

TEST(WarmUp, LetsAHotBoardRest) {
  Board board{.warmth = 1.0};
  std::mt19937_64 rng(1);
  ASSERT_TRUE(warm_up(board.steps(), Seconds(60), rng));
  EXPECT_NEAR(board.warmth, 0.48, 0.05);
  EXPECT_EQ(board.worked, 0.0);
}

TEST(WarmUp, LeavesABoardAloneThatIsWarmOrDoesNotTell) {
  std::mt19937_64 rng(1);
  Board warm{.warmth = 0.48};
  ASSERT_TRUE(warm_up(warm.steps(), Seconds(60), rng));
  EXPECT_EQ(warm.pieces, 0);
  Board mute;
  WarmUpSteps steps = mute.steps();
  steps.warmth = [] { return std::optional<identification::Warmth>(); };
  ASSERT_TRUE(warm_up(steps, Seconds(60), rng));
  EXPECT_EQ(mute.pieces, 0);
}

TEST(WarmUp, EndsWhenItIsStoppedOrTheLoadFails) {
  std::mt19937_64 rng(1);
  Board board;
  WarmUpSteps steps = board.steps();
  steps.stopped = [&board] { return board.pieces == 1; };
  ASSERT_TRUE(warm_up(steps, Seconds(60), rng));
  EXPECT_EQ(board.pieces, 1);
  steps.work = [](const load::Schedule&) -> Result<void> {
    return Unexpected(Errc::device, "lost");
  };
  steps.stopped = [] { return false; };
  EXPECT_EQ(warm_up(steps, Seconds(60), rng).error().code, Errc::device);
}

}  // namespace
}  // namespace truewatt::characterize
