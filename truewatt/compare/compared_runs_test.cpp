#include "truewatt/compare/compared_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace truewatt::compare {
namespace {

/// A run of one device whose energy is known to 0.1 J but for its gain.
measure::EnergyRun run_of(double joules, const std::string& uuid = "GPU-1") {
  energy::EnergyEstimate e;
  e.device.uuid = uuid;
  e.source = SourceId{SourceKind::energy_counter, Scope::gpu};
  e.window = Seconds(1);
  const double gain = 0.04 * joules;
  const double sd = std::hypot(0.1, gain);
  e.energy = energy::EnergyInterval{interval95({joules, sd}), sd, gain};
  e.net_energy = e.energy;
  e.budget = {{uncertainty::Cause::ticks, 0.1}, {uncertainty::Cause::gain, gain}};
  e.valid = e.resolved = true;
  e.reasons = {energy::Reason::uncalibrated_gain};
  measure::EnergyRun run;
  run.devices = {e};
  run.total = energy::total_of(run.devices);
  return run;
}

TEST(ComparedRuns, SaysWhichTakesMore) {
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(103)}, 0.01).verdict, RatioVerdict::more);
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(97)}, 0.01).verdict, RatioVerdict::less);
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(100.1)}, 0.01).verdict, RatioVerdict::alike);
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(100.1)}, 0.001).verdict, RatioVerdict::undecided);
  // As near as was wanted, wherever in the interval: alike.
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(100.25)}, 0.003).verdict, RatioVerdict::alike);
  EXPECT_EQ(comparison_of({}, {}, 0.01).verdict, RatioVerdict::undecided);
}

TEST(ComparedRuns, AnUncalibratedGainIsNoReasonWhereItCancels) {
  const auto same = comparison_of({run_of(100)}, {run_of(103)}, {});
  EXPECT_THAT(same.reasons, testing::IsEmpty());
  EXPECT_TRUE(same.valid);
  const auto other = comparison_of({run_of(100)}, {run_of(103, "GPU-2")}, {});
  EXPECT_THAT(other.reasons, testing::ElementsAre(energy::Reason::uncalibrated_gain));
  EXPECT_EQ(other.verdict, RatioVerdict::undecided);
}

TEST(ComparedRuns, SaysHowManyRoundsTheTargetNeeds) {
  // Logarithms that scatter by 2 %: 1.96 of them over the root of n is 1 % at n = 15 or 16.
  std::vector<measure::EnergyRun> a;
  std::vector<measure::EnergyRun> b;
  for (int i = 0; i < 12; ++i) {
    a.push_back(run_of(100));
    b.push_back(run_of(100 * std::exp(i % 2 == 0 ? 0.02 : -0.02)));
  }
  const auto compared = comparison_of(a, b, 0.01);
  ASSERT_TRUE(compared.needs_rounds);
  EXPECT_GE(*compared.needs_rounds, 15);
  EXPECT_LE(*compared.needs_rounds, 24);  // Student's t of 12 rounds besides
  EXPECT_FALSE(comparison_of(a, b, 0.1).needs_rounds);
}

TEST(ComparedRuns, LeavesOutRoundsThatHaveNoEnergyOrMissReadings) {
  measure::EnergyRun without = run_of(100);
  without.devices[0].energy.reset();
  without.devices[0].net_energy.reset();
  without.total = energy::total_of(without.devices);
  measure::EnergyRun gap = run_of(150);
  gap.devices[0].valid = false;
  gap.devices[0].reasons = {energy::Reason::gap_in_readings};
  std::vector<measure::EnergyRun> a(5, run_of(100));
  a.insert(a.begin() + 1, {without, gap});
  const auto compared = comparison_of(a, std::vector<measure::EnergyRun>(7, run_of(103)), {});
  ASSERT_TRUE(compared.gross);
  EXPECT_EQ(compared.rounds, 5U);
  EXPECT_NEAR(compared.gross->ratio.value, 1.03, 1e-9);
  EXPECT_TRUE(compared.valid);
  EXPECT_THAT(compared.reasons, testing::IsEmpty());
  EXPECT_THAT(compared.notes, testing::ElementsAre(testing::HasSubstr("2 of 7 rounds")));
  // A third of them is no chance.
  a.resize(5);
  const auto few = comparison_of(a, std::vector<measure::EnergyRun>(5, run_of(103)), {});
  EXPECT_NEAR(few.gross->ratio.value, 1.03, 1e-9);
  EXPECT_FALSE(few.valid);
  EXPECT_THAT(few.reasons, testing::Contains(energy::Reason::gap_in_readings));
  // Where there is nothing else, it says so.
  const auto only = comparison_of({gap}, {run_of(103)}, {});
  EXPECT_TRUE(only.gross);
  EXPECT_FALSE(only.valid);
  EXPECT_THAT(only.reasons, testing::Contains(energy::Reason::gap_in_readings));
  const auto none = comparison_of({without}, {run_of(103)}, {});
  EXPECT_FALSE(none.gross || none.valid);
}

TEST(ComparedRuns, AMeanIsKnownAsItsRunsScatter) {
  const auto compared = comparison_of({run_of(100), run_of(110)}, {run_of(100), run_of(100)}, {});
  // Student's t of one degree of freedom: 12.706 / 1.96 standard errors.
  const double scatter = 5.0 * 12.706 / 1.96;
  const auto& a = compared.a.mean.energy;
  EXPECT_NEAR(a->standard_uncertainty, std::hypot(scatter, a->gain_uncertainty), 0.05);
  const auto& b = compared.b.mean.energy;
  EXPECT_NEAR(b->standard_uncertainty, b->gain_uncertainty, 1e-9);
}

}  // namespace
}  // namespace truewatt::compare
