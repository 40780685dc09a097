#include "truewatt/trace/formats/rows/plain_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

/// The plain table with '|' between its cells.
std::string shown(std::string_view text) {
  std::string plain = as_plain_table(text).value_or("plain already");
  std::replace(plain.begin(), plain.end(), kCellSeparator, '|');
  return plain;
}

TEST(PlainTable, CommasOfTextStay) {
  EXPECT_EQ(shown("time,name,power\n1,\"A100, 80 GB\",\"46,2 W\"\n"),
            "time|name|power\n1|A100, 80 GB|46.2 W\n");
  EXPECT_EQ(shown("time;label;power\n1;batch 8,16;46,25\n"),
            "time|label|power\n1|batch 8,16|46.25\n");
  EXPECT_EQ(shown("time,note\n1,\"a, b\"\n"), "time|note\n1|a, b\n");
}

TEST(PlainTable, ACommaThatMaySeparateThousandsMakesNoNumber) {
  EXPECT_EQ(shown("time,power\n1,\"69,830\"\n"), "time|power\n1|69,830\n");
  EXPECT_EQ(shown("time;power\n1;69,830\n"), "time|power\n1|69.830\n");
}

TEST(PlainTable, ACommaBeforeAFractionOfASecondIsAPoint) {
  EXPECT_EQ(shown("time,power\n2025-03-04T09:30:00,500+01:00,46\n"),
            "time|power\n2025-03-04T09:30:00.500+01:00|46\n");
  EXPECT_EQ(shown("time,power\n\"2025-03-04 09:30:00,500\",46\n"),
            "time|power\n2025-03-04 09:30:00.500|46\n");
}

TEST(PlainTable, CommasBetweenCellsAloneArePlainAlready) {
  EXPECT_FALSE(as_plain_table("time,power\n1,46\n"));
}

TEST(PlainTable, AMessageShowsItsRowsWithCommas) {
  EXPECT_EQ(quote(*as_plain_table("time,power\n1,\"69,830\"\n")), "'time,power?1,69,830?'");
}

}  // namespace
}  // namespace truewatt::trace
