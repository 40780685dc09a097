#include "truewatt/load/level_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::load {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto schedule = parse_level_trace(text);
  EXPECT_FALSE(schedule) << text << " was accepted";
  if (schedule) return "";
  EXPECT_EQ(schedule.error().code, Errc::parse);
  return schedule.error().message;
}

TEST(LevelTrace, RunsFromTheFirstToTheLastRow) {
  const auto schedule = parse_level_trace("5,1\n6,0\n6.5,0.25\n8,0.75\n");
  ASSERT_TRUE(schedule) << schedule.error().message;
  ASSERT_EQ(schedule->steps.size(), 3U);  // the last row's level is where it ends
  EXPECT_EQ(schedule->steps[2].at.count(), 1.5);
  EXPECT_EQ(schedule->steps[2].level, 0.25);
  EXPECT_EQ(schedule->duration.count(), 3.0);
}

TEST(LevelTrace, UnderstandsHeaderBlankLinesMarkAndCarriageReturns) {
  const auto schedule = parse_level_trace("\xEF\xBB\xBFt_s,level\r\n\r\n-1, 1 \r\n 0 ,0");
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_EQ(schedule->steps.size(), 1U);
  EXPECT_EQ(schedule->duration.count(), 1.0);
}

TEST(LevelTrace, KeepsOneStepPerChangeOfLevel) {
  const auto schedule = parse_level_trace("0,1\n1,1\n2,0\n3,0\n");
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_EQ(schedule->steps.size(), 2U);
  EXPECT_EQ(schedule->duration.count(), 3.0);
}

TEST(LevelTrace, ErrorsNameTheLine) {
  EXPECT_THAT(refusal(""), HasSubstr("0 rows; at least 2"));
  EXPECT_THAT(refusal("0,1\n"), HasSubstr("1 rows; at least 2"));
  EXPECT_THAT(refusal("time,level\n0,1\n"), HasSubstr("line 1: 'time,level'"));
  EXPECT_THAT(refusal("0,1\nt_s,level\n"), HasSubstr("line 2"));
  EXPECT_THAT(refusal("0,1\n\n1;0\n"), HasSubstr("line 3: '1;0' has no comma"));
  EXPECT_THAT(refusal("0,1\n1,0,7\n"), HasSubstr("not two finite numbers"));
  EXPECT_THAT(refusal("0,1\n1,nan\n"), HasSubstr("not two finite numbers"));
  EXPECT_THAT(refusal("0,1\ninf,0\n"), HasSubstr("not two finite numbers"));
  EXPECT_THAT(refusal("0,1.5\n1,0\n"), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(refusal("0,1\n0,0\n"), HasSubstr("times must increase"));
  EXPECT_THAT(refusal("1,1\n0.5,0\n"), HasSubstr("times must increase"));
  EXPECT_THAT(refusal("0,1\n86401,0\n"), HasSubstr("24 h"));
}

TEST(LevelTrace, ShowsOnlyTheBeginOfALongLine) {
  EXPECT_LT(refusal("0,1\n" + std::string(100'000, 'x')).size(), 300U);
}

}  // namespace
}  // namespace truewatt::load
