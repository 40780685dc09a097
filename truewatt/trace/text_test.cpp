#include "truewatt/trace/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using testing::ElementsAre;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  split_cells(line, cells);
  return cells;
}

TEST(Text, CellsAreTrimmedAndATrailingCommaMakesAnEmptyOne) {
  EXPECT_THAT(cells_of("a,  b c\t,,d,"), ElementsAre("a", "b c", "", "d", ""));
  EXPECT_THAT(cells_of(""), ElementsAre(""));
}

TEST(Text, HexadecimalNeedsItsPrefix) {
  EXPECT_EQ(parse_hex("0x0000000000000004"), 4U);
  EXPECT_EQ(parse_hex("0xFFFFFFFFFFFFFFFF"), ~std::uint64_t{0});
  EXPECT_FALSE(parse_hex("4"));
  EXPECT_FALSE(parse_hex("0x"));
  EXPECT_FALSE(parse_hex("0x1FFFFFFFFFFFFFFFF"));
}

TEST(Text, SecondsKeepEveryNanosecondOfAnEpochTime) {
  EXPECT_EQ(parse_seconds("1689325828.417687123"), Nanoseconds(1'689'325'828'417'687'123));
  EXPECT_EQ(parse_seconds("-0.5"), Nanoseconds(-500'000'000));
  EXPECT_EQ(parse_seconds("3."), std::chrono::seconds(3));
  EXPECT_EQ(parse_seconds("0.1234567899"), Nanoseconds(123'456'789));
  EXPECT_EQ(parse_seconds("2.5e-3"), std::chrono::microseconds(2500));
}

TEST(Text, SecondsBeyondWhatNanosecondsHoldAreRefused) {
  for (const char* bad :
       {"", ".", ".5", "--1", "1.2.3", "1x", "9e9", "99999999999", "-", "1e400"}) {
    EXPECT_FALSE(parse_seconds(bad)) << bad;
  }
}

TEST(Text, LinesEndInLineFeedOrBoth) {
  LineReader reader("a\r\n\nb");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "a");
  EXPECT_TRUE(reader.terminated());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "b");
  EXPECT_EQ(reader.number(), 3U);
  EXPECT_FALSE(reader.terminated());
  EXPECT_FALSE(reader.next());
}

TEST(Text, NulBytesAroundALineAreTrimmedAndNoticed) {
  LineReader reader(std::string_view("\0\0a\0b\n", 6));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), std::string_view("a\0b", 3));
  EXPECT_TRUE(reader.held_nul());
}

TEST(Text, QuotesAreShortAndPrintable) {
  EXPECT_EQ(quote("a\x01z\xFF"), "'a?z?'");
  EXPECT_EQ(quote(std::string(60, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(Text, Utf16IsNarrowedInBothByteOrders) {
  EXPECT_EQ(narrow_utf16(std::string_view("\xFF\xFE"
                                          "a\0,\0",
                                          6)),
            "a,");
  EXPECT_EQ(narrow_utf16(std::string_view("\xFE\xFF"
                                          "\0a\x20\xAC",
                                          6)),
            "a?");
  EXPECT_FALSE(narrow_utf16("plain"));
}

TEST(Text, Utf8ByteOrderMarkIsSkipped) {
  EXPECT_EQ(skip_byte_order_mark("\xEF\xBB\xBFtimestamp"), "timestamp");
  EXPECT_EQ(skip_byte_order_mark("timestamp"), "timestamp");
}

}  // namespace
}  // namespace truewatt::trace
