#include "truewatt/model/metered_boards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::catalogue {
namespace {

using testing::ElementsAre;

TEST(MeteredBoards, AreThe19OfFigure9) {
  const auto boards = metered_boards();
  ASSERT_EQ(boards.size(), 19U);
  // Plain sums over the figure's own list: gradient - 1 in percent, offset in watts.
  double percent = 0;
  double watts = 0;
  for (const MeteredBoard& board : boards) {
    percent += 100 * (board.gain - 1);
    watts += board.offset.value();
  }
  EXPECT_NEAR(percent, -18.693, 1e-9);
  EXPECT_NEAR(watts, -16.29, 1e-9);
  EXPECT_DOUBLE_EQ(boards[0].gain, 0.94507);
  EXPECT_EQ(boards[5].offset, Watts(-12.35));
  EXPECT_EQ(std::count_if(boards.begin(), boards.end(),
                          [](const MeteredBoard& board) { return board.model == "RTX 3090"; }),
            5);
}

TEST(MeteredBoards, TitanXpIsLeftOutBecauseItsNumbersAreSwapped) {
  const auto boards = metered_boards();
  const auto xp = std::find_if(boards.begin(), boards.end(),
                               [](const MeteredBoard& board) { return board.board == "TITAN Xp"; });
  ASSERT_NE(xp, boards.end());
  EXPECT_NE(xp->excluded.find("1.0254"), std::string_view::npos);
  EXPECT_THAT(board_spread().excluded, ElementsAre("TITAN Xp"));
}

// By hand from the figure's list without the TITAN Xp: sum of gradients -16.103 %, of their squares
// 252.2318 %^2; of offsets -18.83 W, of their squares 627.7979 W^2; of products -189.1205.
TEST(BoardSpread, IsThatOfTheFigure) {
  const double n = 18;
  const BoardSpread spread = board_spread();
  EXPECT_EQ(spread.gain.count, 18U);
  EXPECT_NEAR(spread.gain.mean, 1 - 0.16103 / n, 1e-9);
  EXPECT_NEAR(spread.offset_w.mean, -18.83 / n, 1e-9);
  const double gain_variance = (252.2318 - 16.103 * 16.103 / n) / (n - 1);
  const double offset_variance = (627.7979 - 18.83 * 18.83 / n) / (n - 1);
  EXPECT_NEAR(100 * spread.gain.standard_deviation, std::sqrt(gain_variance), 1e-4);
  EXPECT_NEAR(spread.offset_w.standard_deviation, std::sqrt(offset_variance), 1e-4);
  EXPECT_NEAR(100 * spread.gain.about_nominal, std::sqrt(252.2318 / n), 1e-4);
  EXPECT_NEAR(spread.offset_w.about_nominal, std::sqrt(627.7979 / n), 1e-4);
  const double covariance = (-189.1205 - 16.103 * 18.83 / n) / (n - 1);
  EXPECT_NEAR(spread.correlation, covariance / std::sqrt(gain_variance * offset_variance), 1e-4);
}

// Sorted gradients: the 9th and 10th of 18 are -0.72 and -0.65 %; sorted offsets: -1.21 and
// -0.33 W. Half of the gradients lie within 2.295 % of their median (the 9th and 10th deviations
// are 2.185 and 2.405), half of the offsets within 4.27 W (4.24 and 4.30); times 1.4826.
TEST(BoardSpread, RobustOnesIgnoreTheOutliers) {
  const BoardSpread spread = board_spread();
  EXPECT_NEAR(100 * (spread.gain.median - 1), -0.685, 1e-9);
  EXPECT_NEAR(spread.offset_w.median, -0.77, 1e-9);
  EXPECT_NEAR(100 * spread.gain.robust_sd, 1.482602 * 2.295, 1e-4);
  EXPECT_NEAR(spread.offset_w.robust_sd, 1.482602 * 4.27, 1e-4);
}

TEST(BoardPrior, IsNominalAndWidenedForTheNumberOfBoards) {
  const BoardPrior prior = board_prior();
  EXPECT_EQ(prior.gain.value, 1.0);
  EXPECT_EQ(prior.offset_w.value, 0.0);
  // Student's t, 97.5 %, 18 degrees of freedom: 2.100922.
  EXPECT_NEAR(100 * interval95(prior.gain).upper - 100, 2.100922 * std::sqrt(252.2318 / 18), 0.01);
  EXPECT_NEAR(interval95(prior.offset_w).upper, 2.100922 * std::sqrt(627.7979 / 18), 0.02);
  EXPECT_NEAR(prior.correlation, -189.1205 / std::sqrt(252.2318 * 627.7979), 1e-4);
}

/// Boards that lie in the 95 % interval of a prior made of all the other boards.
int covered(double (*value_of)(const MeteredBoard&)) {
  int inside = 0;
  for (const MeteredBoard& left_out : metered_boards()) {
    if (!left_out.excluded.empty()) continue;
    double squares = 0;
    double count = 0;
    for (const MeteredBoard& board : metered_boards()) {
      if (!board.excluded.empty() || board.board == left_out.board) continue;
      squares += value_of(board) * value_of(board);
      ++count;
    }
    const double sd = numerics::student_widening(count) * std::sqrt(squares / count);
    inside += std::abs(value_of(left_out)) <= kCoverageFactor95 * sd ? 1 : 0;
  }
  return inside;
}

// Of 18 boards 95 % are 17.1; the binomial distribution has 16 to 18 of them with 94 %.
TEST(BoardPrior, OfAllOtherBoardsCoversABoard) {
  EXPECT_GE(covered([](const MeteredBoard& board) { return board.gain - 1; }), 16);
  EXPECT_GE(covered([](const MeteredBoard& board) { return board.offset.value(); }), 16);
}

}  // namespace
}  // namespace truewatt::catalogue
