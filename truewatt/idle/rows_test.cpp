#include "truewatt/idle/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace truewatt::idle {
namespace {

using ::testing::ElementsAre;

constexpr double kSlow = 345e6;
constexpr double kFast = 1980e6;

SeenStretch seen(Rung rung, double watts, double sm_clock_hz) {
  SeenStretch one{.rung = rung,
                  .power_w = uncertainty::Budget(watts),
                  .settled = Seconds(1),
                  .has_settled = true,
                  .counted = Seconds(3)};
  one.seen.sm_clock_hz = sm_clock_hz;
  return one;
}

const Row* find(const std::vector<Row>& rows, Rung rung) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [rung](const Row& row) { return row.rung == rung; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<SeenStretch> usual() {
  return {seen(Rung::bare, 70, kSlow),      seen(Rung::context, 120, kFast),
          seen(Rung::spinning, 200, kFast), seen(Rung::spinning, 201, kFast),
          seen(Rung::context, 121, kFast),  seen(Rung::bare, 69, kSlow)};
}

TEST(IdleRows, ThreePairsOneWattApartAreKnownToTheirPooledScatter) {
  const auto rows = rows_of(usual());
  const Row* context = find(rows, Rung::context);
  ASSERT_TRUE(context != nullptr && context->power_w);
  EXPECT_EQ(context->stretches, 2);
  EXPECT_EQ(context->counted, Seconds(6));
  EXPECT_NEAR(context->power_w->value, 120.5, 1e-9);
  // Standard uncertainty of a mean of two that differ by 1 W: 0.5 W; Student's t of 3 is 3.182.
  EXPECT_NEAR(half_width_of(*context->power_w), 3.182 * 0.5, 0.002);
  const Row* spinning = find(rows, Rung::spinning);
  ASSERT_TRUE(spinning != nullptr && spinning->above_context_w);
  EXPECT_NEAR(spinning->above_context_w->value, 80.0, 1e-9);
  EXPECT_NEAR(half_width_of(*spinning->above_context_w), 3.182 * 0.5 * std::sqrt(2.0), 0.003);
  EXPECT_FALSE(context->above_context_w);
}

TEST(IdleRows, ARungAtTwoClocksHasTwoRows) {
  auto stretches = usual();
  stretches.back() = seen(Rung::bare, 95, kFast);
  const auto rows = rows_of(stretches);
  ASSERT_EQ(std::count_if(rows.begin(), rows.end(),
                          [](const Row& row) { return row.rung == Rung::bare; }),
            2);
  EXPECT_NEAR(rows[0].power_w->value, 70.0, 1e-9);
  EXPECT_NEAR(rows[1].power_w->value, 95.0, 1e-9);
  EXPECT_EQ(rows[1].seen.sm_clock_hz, kFast);
}

TEST(IdleRows, StretchesThatSettledComeFirstAndOthersSaySo) {
  auto stretches = usual();
  stretches[4].has_settled = false;
  stretches[4].power_w = uncertainty::Budget(140);
  auto rows = rows_of(stretches);
  EXPECT_NEAR(find(rows, Rung::context)->power_w->value, 120.0, 1e-9);
  EXPECT_TRUE(find(rows, Rung::context)->reasons.empty());
  stretches[1].has_settled = false;
  rows = rows_of(stretches);
  EXPECT_NEAR(find(rows, Rung::context)->power_w->value, 130.0, 1e-9);
  EXPECT_THAT(find(rows, Rung::context)->reasons, ElementsAre(Reason::not_settled));
  EXPECT_FALSE(find(rows, Rung::context)->settled);
}

TEST(IdleRows, ARungWithoutAStretchSaysWhy) {
  auto stretches = usual();
  stretches.push_back({.rung = Rung::active});
  const auto rows = rows_of(stretches);
  EXPECT_THAT(find(rows, Rung::active)->reasons, ElementsAre(Reason::no_energy));
  EXPECT_THAT(find(rows, Rung::resident)->reasons, ElementsAre(Reason::not_reached));
  EXPECT_FALSE(find(rows, Rung::resident)->power_w);
}

TEST(IdleRows, AContextThatChangesNothingOrMuchMemoryOrWorkIsAnothers) {
  EXPECT_FALSE(is_held_by_others(usual()));
  auto alike = usual();
  alike.front() = seen(Rung::bare, 119, kFast);
  EXPECT_TRUE(is_held_by_others(alike));
  alike.front() = seen(Rung::bare, 119, kSlow);  // the clock rose
  EXPECT_FALSE(is_held_by_others(alike));
  auto full = usual();
  full.front().seen.memory_used_bytes = 3e9;
  EXPECT_TRUE(is_held_by_others(full));
  auto busy = usual();
  busy.front().seen.utilization = 0.3;
  EXPECT_TRUE(is_held_by_others(busy));
  EXPECT_FALSE(is_held_by_others({}));
}

}  // namespace
}  // namespace truewatt::idle
