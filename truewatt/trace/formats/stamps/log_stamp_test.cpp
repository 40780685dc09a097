#include "truewatt/trace/formats/stamps/log_stamp.hpp"

#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

/// 2023-07-14 10:10:26.905 UTC; date -u -d '2023-07-14 10:10:26' +%s.
constexpr DriverTime kStamp{milliseconds(1'689'329'426'905)};

TEST(LogStamp, LocalTimesSayNoOffset) {
  for (const char* cell :
       {"2023/07/14 10:10:26.905", "2023-07-14T10:10:26.905", "2023-07-14 10:10:26,905",
        "20230714 10:10:26.905", "Fri Jul 14 10:10:26.905 2023"}) {
    EXPECT_EQ(parse_log_stamp(cell), (LogStamp{kStamp, std::nullopt})) << cell;
  }
  EXPECT_EQ(parse_log_stamp("2024-02-29T00:00:00")->time,
            DriverTime(std::chrono::seconds(1'709'164'800)));
  EXPECT_EQ(parse_log_stamp("Thu Feb 29 00:00:00 2024")->time,
            DriverTime(std::chrono::seconds(1'709'164'800)));
  EXPECT_EQ(parse_log_stamp("Fri Mar  1 00:00:00 2024")->time,
            DriverTime(std::chrono::seconds(1'709'251'200)));
}

TEST(LogStampReader, ReadsEachStampAsIfItStoodAlone) {
  LogStampReader reader;
  for (const char* cell :
       {"2023/07/14 10:10:26.905", "2023/07/14 10:10:26.925", "2023/07/14 10:10:26,9",
        "2023/07/14 10:10:26", "2023/07/14 10:10:26.905Z", "2023/07/14 10:10:26.", "",
        "2023/07/14 10:10:26 .5", "2023/07/14 10:10:26.5x", "2023/07/14 10:10:27.000",
        "2023-07-14T10:10:26.9+02:00", "2023-07-14T10:10:26+02.5", "Fri Jul 14 10:10:26.905 2023",
        "Fri Jul 14 10:10:26 2023", "Fri Jul 14 10:10:26 2023.5", "1689329426.905", "17.25"}) {
    EXPECT_EQ(reader.read(cell), parse_log_stamp(cell)) << cell;
    EXPECT_EQ(reader.read(cell), parse_log_stamp(cell)) << cell << " again";
  }
}

TEST(LogStamp, WholeSecondsAreCutOff) {
  for (const char* cell : {"2023/07/14 10:10:26", "2023-07-14T10:10:26+02:00", "1689329426",
                           "Fri Jul 14 10:10:26 2023"}) {
    EXPECT_TRUE(parse_log_stamp(cell)->is_cut) << cell;
  }
  for (const char* cell : {"2023/07/14 10:10:26.000", "1689329426.5", "1689329426000", "17"}) {
    EXPECT_FALSE(parse_log_stamp(cell)->is_cut) << cell;
  }
}

TEST(LogStamp, OffsetsAreTakenOff) {
  EXPECT_EQ(parse_log_stamp("2023-07-14T10:10:26.905Z"), (LogStamp{kStamp, minutes(0)}));
  EXPECT_EQ(parse_log_stamp("2023-07-14 10:10:26.905 UTC"), (LogStamp{kStamp, minutes(0)}));
  EXPECT_EQ(parse_log_stamp("2023-07-14T12:10:26,905000000+02:00"),
            (LogStamp{kStamp, minutes(120)}));
  EXPECT_EQ(parse_log_stamp("2023-07-14T15:40:26.905+0530"), (LogStamp{kStamp, minutes(330)}));
  EXPECT_EQ(parse_log_stamp("2023-07-14T02:10:26.905-08"), (LogStamp{kStamp, minutes(-480)}));
}

TEST(LogStamp, EpochsAreToldApartByTheirSize) {
  for (const char* cell : {"1689329426.905", "1689329426905", "1689329426905000",
                           "1689329426905000000", "1689329426905.0"}) {
    EXPECT_EQ(parse_log_stamp(cell), (LogStamp{kStamp, minutes(0)})) << cell;
  }
  EXPECT_EQ(parse_log_stamp("12.5"), (LogStamp{DriverTime(milliseconds(12'500)), std::nullopt}));
  EXPECT_FALSE(parse_log_stamp("-3"));
  EXPECT_FALSE(parse_log_stamp("99999999999"));
}

TEST(LogStamp, TimesThatDoNotExistAreNone) {
  for (const char* cell : {"2023/02/29 10:10:26.905", "2023/13/01 00:00:00", "1969/12/31 23:59:59",
                           "2100/01/01 00:00:00", "2023/07/14 24:00:00", "2023/07/14 10:60:00",
                           "2023/07/14 10:10:61", "2023/07/14 10:10:26.905x", "2023/07/14 10:10",
                           "2023/07/14", "23/07/14 10:10:26.905", "2023/07/14 10:10:-1",
                           "2023/07/14 10:10:1e1", "2023/07/14 10:10:26.1e1", "timestamp", ""}) {
    EXPECT_FALSE(parse_log_stamp(cell)) << cell;
  }
}

}  // namespace
}  // namespace truewatt::trace
