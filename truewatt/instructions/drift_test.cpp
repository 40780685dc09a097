#include "truewatt/instructions/drift.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;
using uncertainty::Budget;

constexpr double kIdleEnergy = 20.0;

/// Rows of eight loops, played in random order a quarter of a second apart, on a board whose power
/// drifts by `drift` (a share, with a memory of a second) and scatters by `scatter`.
struct Board {
  std::vector<std::vector<Point>> rows;
  std::vector<std::vector<double>> true_j;  ///< above rest

  Board(double drift, double scatter, unsigned seed) : rows(40), true_j(40) {
    std::mt19937_64 rng(seed);
    std::normal_distribution<double> normal;
    std::vector<std::pair<std::size_t, unsigned>> order;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (unsigned copies = 16; copies <= 128; copies += 16) order.emplace_back(row, copies);
    }
    std::shuffle(order.begin(), order.end(), rng);
    const double kept = std::exp(-0.25);
    double state = 0.0;
    HostTime now{};
    for (const auto& [row, copies] : order) {
      state = kept * state + std::sqrt(1 - kept * kept) * normal(rng);
      Point point;
      point.of.copies = copies;
      point.length = Seconds(0.15);
      point.iterations = 4e11 / (1.0 + copies / 16.0);
      const double each = 1.0 + 0.1 * static_cast<double>(row);
      const double own = point.iterations * (20.0 + each * copies) * 1e-12;
      const double seen = own * (1 + drift * state + scatter * normal(rng));
      point.energy_j = Budget(kIdleEnergy + seen);
      point.idle_j = Budget(kIdleEnergy);
      point.span = {now, now + to_nanoseconds(point.length)};
      now += to_nanoseconds(Seconds(0.25));
      rows[row].push_back(point);
      true_j[row].push_back(own);
    }
  }

  /// Root mean square of what the points' energies are off by, as shares.
  double off() const {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t i = 0; i < rows[row].size(); ++i) {
        const double seen = rows[row][i].energy_j.value() - kIdleEnergy;
        sum += std::pow(seen / true_j[row][i] - 1, 2);
        count += 1;
      }
    }
    return std::sqrt(sum / count);
  }
};

TEST(Drift, IsTakenOffByWhatNeighboursShow) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Board board(0.03, 0.01, seed);
    const double before = board.off();
    remove_drift(board.rows);
    EXPECT_LT(board.off(), 0.85 * before) << seed;
  }
}

TEST(Drift, ThatIsNoneIsNotTakenOff) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Board board(0.0, 0.02, seed);
    const double before = board.off();
    remove_drift(board.rows);
    EXPECT_EQ(board.off(), before) << seed;
  }
}

TEST(Drift, OfFewCountsIsNone) {
  Board board(0.03, 0.01, 4);
  for (auto& points : board.rows) points.resize(3);
  const double before = board.off();
  remove_drift(board.rows);
  EXPECT_EQ(board.off(), before);
}

}  // namespace
}  // namespace truewatt::instructions
