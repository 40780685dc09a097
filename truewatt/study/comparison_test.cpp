#include "truewatt/study/comparison.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "truewatt/study/test_folder.hpp"

namespace truewatt::study {
namespace {

/// A run of one device whose energy is known to 0.1 J but for its gain.
EnergyRun run_of(double joules, const std::string& uuid = "GPU-1") {
  energy::EnergyEstimate e;
  e.device.uuid = uuid;
  e.source = SourceId{SourceKind::energy_counter, Scope::gpu};
  e.window = Seconds(1);
  const double gain = 0.04 * joules;
  const double sd = std::hypot(0.1, gain);
  e.energy = energy::EnergyInterval{interval95({joules, sd}), sd, gain};
  e.net_energy = e.energy;
  e.budget = {{"ticks", Joules(0.1), 'A'}, {"gain", Joules(gain), 'B'}};
  e.valid = e.resolved = true;
  e.reasons = {energy::Reason::uncalibrated_gain};
  EnergyRun run;
  run.devices = {e};
  run.total = total_of(run.devices);
  return run;
}

TEST(Comparison, SaysWhichTakesMore) {
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(103)}, 0.01).verdict, RatioVerdict::more);
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(97)}, 0.01).verdict, RatioVerdict::less);
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(100.1)}, 0.01).verdict, RatioVerdict::alike);
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(100.1)}, 0.001).verdict, RatioVerdict::undecided);
  // As near as was wanted, wherever in the interval: alike.
  EXPECT_EQ(comparison_of({run_of(100)}, {run_of(100.25)}, 0.003).verdict, RatioVerdict::alike);
  EXPECT_EQ(comparison_of({}, {}, 0.01).verdict, RatioVerdict::undecided);
}

TEST(Comparison, AnUncalibratedGainIsNoReasonWhereItCancels) {
  const auto same = comparison_of({run_of(100)}, {run_of(103)}, {});
  EXPECT_THAT(same.reasons, testing::IsEmpty());
  EXPECT_TRUE(same.valid);
  const auto other = comparison_of({run_of(100)}, {run_of(103, "GPU-2")}, {});
  EXPECT_THAT(other.reasons, testing::ElementsAre(energy::Reason::uncalibrated_gain));
  EXPECT_EQ(other.verdict, RatioVerdict::undecided);
}

TEST(Comparison, SaysHowManyRoundsTheTargetNeeds) {
  // Logarithms that scatter by 2 %: 1.96 of them over the root of n is 1 % at n = 15 or 16.
  std::vector<EnergyRun> a;
  std::vector<EnergyRun> b;
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

TEST(Comparison, LeavesOutRoundsThatHaveNoEnergyOrMissReadings) {
  EnergyRun without = run_of(100);
  without.devices[0].energy.reset();
  without.devices[0].net_energy.reset();
  without.total = total_of(without.devices);
  EnergyRun gap = run_of(150);
  gap.devices[0].valid = false;
  gap.devices[0].reasons = {energy::Reason::gap_in_readings};
  std::vector<EnergyRun> a(5, run_of(100));
  a.insert(a.begin() + 1, {without, gap});
  const auto compared = comparison_of(a, std::vector<EnergyRun>(7, run_of(103)), {});
  ASSERT_TRUE(compared.gross);
  EXPECT_EQ(compared.rounds, 5U);
  EXPECT_NEAR(compared.gross->ratio.value, 1.03, 1e-9);
  EXPECT_TRUE(compared.valid);
  EXPECT_THAT(compared.reasons, testing::IsEmpty());
  EXPECT_THAT(compared.notes, testing::ElementsAre(testing::HasSubstr("2 of 7 rounds")));
  // A third of them is no chance.
  a.resize(5);
  const auto few = comparison_of(a, std::vector<EnergyRun>(5, run_of(103)), {});
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

TEST(Comparison, AMeanKnowsNoLessThanItsRunsScatterAndNoMoreThanOneOfThem) {
  const auto compared = comparison_of({run_of(100), run_of(110)}, {run_of(100), run_of(100)}, {});
  // Student's t of one degree of freedom: 12.706 / 1.96 standard errors.
  const double scatter = 5.0 * 12.706 / 1.96;
  const auto& a = compared.a.mean.energy;
  EXPECT_NEAR(a->standard_uncertainty, std::hypot(scatter, a->gain_uncertainty), 0.05);
  const auto& b = compared.b.mean.energy;
  EXPECT_NEAR(b->standard_uncertainty, std::hypot(0.1, b->gain_uncertainty), 1e-9);
}

TEST(Comparison, ATargetThatNoRoundsReachEndsItSayingWhy) {
  auto set = open_devices({.selectors = {"sim:h100"}}, {});
  ASSERT_TRUE(set);
  const auto a = *load::parse_schedule("step:on=1s,level=0.2", 1);
  const auto b = *load::parse_schedule("step:on=1s,level=1", 1);
  // 6 W of offset are not alike on both sides.
  const auto compared = compare_loads(*set, a, b, {}, {.target = 0.001, .budget = Seconds(3600)});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->a.runs.size(), static_cast<std::size_t>(kFewestRounds));
  EXPECT_FALSE(compared->needs_rounds);
  EXPECT_THAT(compared->notes, testing::Contains(testing::HasSubstr("most of it by offset")));
}

TEST(Comparison, LoadsRunInTurnsUntilTheTarget) {
  auto set = open_devices({.selectors = {"sim:h100"}}, {});
  ASSERT_TRUE(set);
  const auto a = *load::parse_schedule("step:on=1s,level=0.5", 1);
  const auto b = *load::parse_schedule("step:on=1s,level=0.6", 1);
  const auto compared = compare_loads(*set, a, b, {}, {.target = 0.05});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->a.runs.size(), static_cast<std::size_t>(kFewestRounds));
  EXPECT_EQ(compared->b.runs.size(), compared->a.runs.size());
  EXPECT_EQ(compared->verdict, RatioVerdict::more);
  EXPECT_EQ(compared->a.what, "step:on=1s,level=0.5");
  const auto thrice = compare_loads(*set, a, b, {}, {.rounds = 3, .target = 0.05});
  ASSERT_TRUE(thrice);
  EXPECT_EQ(thrice->a.runs.size(), 3U);
  // One round takes about ten seconds of the device, so that six are in a minute.
  const auto minute = compare_loads(*set, a, a, {}, {.target = 1e-6});
  ASSERT_TRUE(minute);
  EXPECT_LT(minute->a.runs.size(), 8U);
}

TEST(Comparison, AStopLeavesWhatWasMeasured) {
  auto set = open_devices({.selectors = {"sim:h100"}}, {});
  ASSERT_TRUE(set);
  std::stop_source stop;
  int said = 0;
  CompareOptions options{.rounds = 100};
  options.measure.stop = stop.get_token();
  options.measure.progress = [&](std::optional<double>, const std::string&) {
    if (++said == 8) stop.request_stop();  // within the fourth round
  };
  const auto load = *load::parse_schedule("step:on=0.5s", 1);
  const auto compared = compare_loads(*set, load, load, {}, options);
  ASSERT_TRUE(compared);
  EXPECT_FALSE(compared->valid);
  EXPECT_THAT(compared->reasons, testing::Contains(energy::Reason::interrupted));
  EXPECT_GE(compared->b.runs.size(), 3U);
  EXPECT_LT(compared->b.runs.size(), 5U);
  EXPECT_TRUE(compared->gross);
}

TEST(Comparison, RunFilesAreThoseOfMeasurements) {
  const TestFolder own;
  const std::filesystem::path& folder = own.path();
  const auto file = [&](const std::string& name, const std::string& spec) {
    auto set = open_devices({.selectors = {"sim:h100"}}, {});
    EXPECT_TRUE(set);
    MeasureOptions options;
    options.out = folder / name;
    const auto measured = measure(*set, *load::parse_schedule(spec, 1), {}, options);
    EXPECT_TRUE(measured);
    return folder / name;
  };
  const auto a = file("compare_a.db", "step:on=2s,level=0.5");
  const auto b = file("compare_b.db", "step:on=2s,level=0.6");
  const auto compared = compare_run_files(a, b);
  ASSERT_TRUE(compared) << compared.error().message;
  ASSERT_TRUE(compared->gross && compared->truth);
  EXPECT_TRUE(compared->gross->gain_cancels);
  EXPECT_EQ(compared->verdict, RatioVerdict::more);
  EXPECT_LE(compared->gross->ratio.lower, *compared->truth);
  EXPECT_GE(compared->gross->ratio.upper, *compared->truth);
  EXPECT_EQ(compare_run_files(a, folder / "no.db").error().code, Errc::unavailable);
  // What does not cancel: of two loads of unlike powers their offset.
  const auto has_offset = [](const energy::RatioTerm& term) {
    return term.term == "offset" || term.term == "gain";
  };
  EXPECT_TRUE(
      std::any_of(compared->gross->budget.begin(), compared->gross->budget.end(), has_offset));
}

TEST(Comparison, FilesKeepTheGainsOfTwoBoards) {
  const TestFolder own;
  const std::filesystem::path& folder = own.path();
  const auto file = [&](const std::string& device, std::uint64_t seed,
                        std::vector<RelativeWindow> windows) {
    const auto path = folder / fmt::format("compare_{}_{}.db", device.substr(4), windows.size());
    auto set = open_devices({.selectors = {device}, .seed = seed}, {});
    EXPECT_TRUE(set);
    MeasureOptions options{.windows = std::move(windows), .out = path};
    EXPECT_TRUE(measure(*set, *load::parse_schedule("step:on=2s", 1), {}, options));
    return path;
  };
  const auto a = file("sim:h100", 1, {});
  const auto b = file("sim:a100", 2, {});
  const auto compared = compare_run_files(a, b);
  ASSERT_TRUE(compared && compared->gross) << compared.error().message;
  EXPECT_FALSE(compared->gross->gain_cancels);
  EXPECT_THAT(compared->reasons, testing::Contains(energy::Reason::uncalibrated_gain));
  // 4 % of either.
  EXPECT_GT(compared->gross->standard_uncertainty / compared->gross->ratio.value, 0.05);
  const auto two =
      file("sim:h100", 1, {{Seconds(0), Seconds(1), "a"}, {Seconds(1), Seconds(2), "b"}});
  const auto refused = compare_run_files(two, b);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsupported);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("2 windows"));
}

}  // namespace
}  // namespace truewatt::study
