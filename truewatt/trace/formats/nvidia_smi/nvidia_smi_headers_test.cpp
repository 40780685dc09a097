// Headers that are missing, come twice or change, and rows that do.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/testing/smi_log.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

namespace truewatt::trace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(NvidiaSmiHeaders, WithoutAHeaderTheOneCellInWattsIsThePower) {
  for (const char* text :
       {"2023/07/14 10:10:26.000, 0, 50.25 W\n", "2023/07/14 10:10:26.000, 50.25\n",
        "2023-07-14T12:10:26,000000000+02:00 50.25\n", "1689329426.000 50.25 W\n"}) {
    const auto log = parsed_log(text);
    ASSERT_EQ(log.recordings.size(), 1U) << text;
    EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.25)) << text;
    EXPECT_THAT(log.notes, Contains(HasSubstr("has no header"))) << text;
  }
}

TEST(NvidiaSmiHeaders, NoheaderLogIsRefusedWithAdviceWhereItDoesNotSayWhichIsThePower) {
  const auto log = parse_nvidia_smi_log("2023/07/14 10:10:26.000, 0, 50.00 W, 51.00 W\n");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, Errc::parse);
  EXPECT_THAT(log.error().message, HasSubstr("without noheader"));
}

TEST(NvidiaSmiHeaders, RowsThatStandTwiceAreOneGpu) {
  std::string text = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 40; ++i) {  // twice each
    const std::string row =
        fmt::format("2023/07/14 10:10:{}.{}07, {}.25 W\n", 26 + i / 10, i % 10, 50 + i);
    text += row + row;
  }
  const auto log = parsed_log(text);
  ASSERT_EQ(log.recordings.size(), 1U);
  EXPECT_EQ(log.recordings[0].traces[0].samples.size(), 40U);
  EXPECT_THAT(log.notes, Contains(HasSubstr("stands 2 times")));
}

TEST(NvidiaSmiHeaders, AHeaderThatNamesTheGpuLaterNamesTheSame) {
  std::string text = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 20; ++i) {
    if (i == 10) text += "timestamp, index, power.draw [W]\n";
    text +=
        fmt::format("2023/07/14 10:10:26.{}0, {}{}.25 W\n", 10 + i, i < 10 ? "" : "3, ", 50 + i);
  }
  const auto log = parsed_log(text);
  ASSERT_EQ(log.recordings.size(), 1U);
  EXPECT_EQ(log.recordings[0].device.index, 3);
  EXPECT_EQ(log.recordings[0].traces[0].samples.size(), 20U);
}

TEST(NvidiaSmiHeaders, HeaderInTheMiddleMayChangeTheColumns) {
  const auto log = parsed_log(
      "timestamp, power.draw [W], pstate\n"
      "2023/07/14 10:10:26.000, 50.00, P0\n"
      "timestamp, pstate, power.draw [W]\n"
      "2023/07/14 10:10:26.100, P0, 51.00\n");
  ASSERT_EQ(log.recordings.size(), 1U);
  EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.0, 51.0));
  EXPECT_EQ(log.bad_rows, 0U);
}

}  // namespace
}  // namespace truewatt::trace
