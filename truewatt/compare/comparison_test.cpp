#include "truewatt/compare/comparison.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "truewatt/compare/compared_runs.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::compare {
namespace {

TEST(Comparison, ATargetThatNoRoundsReachEndsItSayingWhy) {
  auto set = devices::open_devices({.selectors = {"sim:h100"}}, {});
  ASSERT_TRUE(set);
  const auto a = *load::parse_schedule("step:on=1s,level=0.2", 1);
  const auto b = *load::parse_schedule("step:on=1s,level=1", 1);
  // 6 W of offset are not alike on both sides.
  const auto compared = compare_loads(*set, a, b, {}, {.target = 0.001, .budget = Seconds(3600)});
  ASSERT_TRUE(compared);
  EXPECT_LE(compared->a.runs.size(), static_cast<std::size_t>(2 * kFewestRounds));
  EXPECT_FALSE(compared->needs_rounds);
  EXPECT_THAT(compared->notes, testing::Contains(testing::HasSubstr("most of it by offset")));
}

TEST(Comparison, LoadsRunInTurnsUntilTheTarget) {
  auto set = devices::open_devices({.selectors = {"sim:h100"}}, {});
  ASSERT_TRUE(set);
  const auto a = *load::parse_schedule("step:on=1s,level=0.5", 1);
  const auto b = *load::parse_schedule("step:on=1s,level=0.6", 1);
  const auto compared = compare_loads(*set, a, b, {}, {.target = 0.05});
  ASSERT_TRUE(compared);
  EXPECT_LE(compared->a.runs.size(), static_cast<std::size_t>(2 * kFewestRounds));
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
  auto set = devices::open_devices({.selectors = {"sim:h100"}}, {});
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
  const testing_support::TestFolder own;
  const std::filesystem::path& folder = own.path();
  const auto file = [&](const std::string& name, const std::string& spec) {
    auto set = devices::open_devices({.selectors = {"sim:h100"}}, {});
    EXPECT_TRUE(set);
    measure::MeasureOptions options;
    options.out = folder / name;
    const auto measured = measure::measure(*set, *load::parse_schedule(spec, 1), {}, options);
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
  EXPECT_THAT(compare_run_files(a, a)->notes, testing::Contains(testing::HasSubstr("one file")));
  // What does not cancel: of two loads of unlike powers their offset.
  const auto has_offset = [](const uncertainty::Term& term) {
    return uncertainty::is_scale(term.cause);
  };
  EXPECT_TRUE(
      std::any_of(compared->gross->budget.begin(), compared->gross->budget.end(), has_offset));
}

TEST(Comparison, FilesKeepTheGainsOfTwoBoards) {
  const testing_support::TestFolder own;
  const std::filesystem::path& folder = own.path();
  const auto file = [&](const std::string& device, std::uint64_t seed,
                        std::vector<measure::RelativeWindow> windows) {
    const auto path = folder / fmt::format("compare_{}_{}.db", device.substr(4), windows.size());
    auto set = devices::open_devices({.selectors = {device}, .seed = seed}, {});
    EXPECT_TRUE(set);
    measure::MeasureOptions options{.windows = std::move(windows), .out = path};
    EXPECT_TRUE(measure::measure(*set, *load::parse_schedule("step:on=2s", 1), {}, options));
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
}  // namespace truewatt::compare
