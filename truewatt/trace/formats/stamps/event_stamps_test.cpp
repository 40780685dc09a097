#include "truewatt/trace/formats/stamps/event_stamps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

TEST(EventStamps, DoubledEdgesAlternateAndTheLastEndsTheRun) {
  const auto stamps = parse_event_stamps(
      "timestamp\n1689325828417687\n1689325828417687\n1689325834387604\n1689325834387604\n"
      "1689325840387686\n1689325840387686\n");
  ASSERT_TRUE(stamps);
  EXPECT_EQ(stamps->edges.size(), 3U);
  ASSERT_EQ(stamps->load.size(), 1U);
  EXPECT_EQ(stamps->load[0].begin, DriverTime(microseconds(1'689'325'828'417'687)));
  EXPECT_EQ(stamps->load[0].end, DriverTime(microseconds(1'689'325'834'387'604)));
  EXPECT_EQ(stamps->edges.back(), DriverTime(microseconds(1'689'325'840'387'686)));
}

TEST(EventStamps, EvenCountEndsWithALoad) {
  const auto stamps = parse_event_stamps(
      "1689325828000000\r\n1689325829000000\r\n1689325830000000\r\n1689325831000000\r\n");
  ASSERT_TRUE(stamps);
  ASSERT_EQ(stamps->load.size(), 2U);
  EXPECT_EQ(stamps->load[1].end, stamps->edges.back());
}

TEST(EventStamps, OtherUnitsAndOrdersAreErrorsWithTheirLine) {
  for (const char* second : {"1689325834", "1689325834387", "1689325834387604000", "x", "nan",
                             "1689325828417686", "1689325834387604,1"}) {
    const auto stamps = parse_event_stamps("1689325828417687\n" + std::string(second) + "\n");
    ASSERT_FALSE(stamps) << second;
    EXPECT_EQ(stamps.error().code, Errc::parse) << second;
    EXPECT_THAT(stamps.error().message, HasSubstr("line 2")) << second;
  }
}

TEST(EventStamps, OneEdgeIsNotEnough) {
  for (const char* text : {"", "timestamp\n", "1689325828417687\n1689325828417687\n"}) {
    const auto stamps = parse_event_stamps(text);
    ASSERT_FALSE(stamps);
    EXPECT_EQ(stamps.error().code, Errc::insufficient_data);
  }
}

}  // namespace
}  // namespace truewatt::trace
