#include "truewatt/energy/estimate/source_votes.hpp"

#include <gtest/gtest.h>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

// A board of which it is published that its power is a mean over a second shows the power itself:
// with the counter it does not fit, and what it shows in all is in the interval.
TEST(SourceVotes, AReadingThatIsNotWhatIsPublishedIsLeftOut) {
  const double truth = 4 * 100 + 2 * 200;
  const Window window{at(2), at(6), "load"};
  Profile published;
  published.sources.push_back({.source = kInstant,
                               .update_period_s = Interval{0.1, 0.09, 0.11, 0.95},
                               .averaging_window_s = Interval{1.0, 0.95, 1.05, 0.95},
                               .time_constant_s = Interval{0.0, 0.0, 0.0, 0.95},
                               .delay_s = Interval{0.0, 0.0, 0.01, 0.95}});
  for (const double times : {1.0, 1.05}) {
    const Recording recording = counted_times(times);
    const EnergyEstimator estimator(recording, {.published = &published}, {}, {});
    const EnergyEstimate estimate = estimator.estimate(window);
    ASSERT_TRUE(estimate.energy) << times;
    const double half = 2 * estimate.energy->without_gain();
    EXPECT_NEAR(estimate.energy->interval.value, truth, half) << times;
    EXPECT_LT(half, 0.08 * truth) << times;
    ASSERT_FALSE(estimate.dropped.empty()) << times;
    EXPECT_EQ(estimate.dropped.front().reason, Reason::model_misfit);
  }
}

}  // namespace
}  // namespace truewatt::energy
