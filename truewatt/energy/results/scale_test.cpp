#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/model/metered_boards.hpp"

namespace truewatt::energy {
namespace {

ScaleUncertainty prior() {
  const catalogue::BoardPrior board = catalogue::board_prior();
  return {board.gain.standard_uncertainty, board.offset_w.standard_uncertainty, board.correlation};
}

/// What the metered boards of Fig. 9 show more or less than they draw at this power, root mean
/// square, W.
double rms_of_boards(double watts) {
  double squares = 0.0;
  double count = 0.0;
  for (const catalogue::MeteredBoard& board : catalogue::metered_boards()) {
    if (!board.excluded.empty()) continue;
    squares += std::pow((board.gain - 1) * watts + board.offset.value(), 2);
    ++count;
  }
  return std::sqrt(squares / count);
}

// Student's t, 97.5 %, 18 degrees of freedom: 2.100922. The variance of (g - 1) P + o needs the
// covariance of both, and then is that of the boards at every power.
TEST(ScaleUncertainty, OfThePriorIsTheScatterOfTheBoardsAtEveryPower) {
  for (const double watts : {30.0, 100.0, 200.0, 400.0, 700.0}) {
    const double half = kCoverageFactor95 * prior().of(Joules(2 * watts), Seconds(2.0));
    EXPECT_NEAR(half, 2.100922 * 2 * rms_of_boards(watts), 0.002 * half) << watts << " W";
  }
}

TEST(ScaleUncertainty, OfPartsAddsUpToThatOfTheWhole) {
  const ScaleUncertainty scale = prior();
  const double gain = scale.gain_alone(Joules(300)) + scale.gain_alone(Joules(50));
  const double offset =
      scale.with_offset(Joules(300), Seconds(1.5)) + scale.with_offset(Joules(50), Seconds(0.5));
  EXPECT_NEAR(std::hypot(gain, offset), scale.of(Joules(350), Seconds(2.0)), 1e-9);
}

}  // namespace
}  // namespace truewatt::energy
