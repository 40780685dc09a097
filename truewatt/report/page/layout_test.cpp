#include "truewatt/report/page/layout.hpp"

#include <gtest/gtest.h>

namespace truewatt::report {
namespace {

TEST(Layout, WidthCountsCodePointsNotBytes) {
  EXPECT_EQ(display_width("± µs"), 4U);
  EXPECT_EQ(pad_left("±1", 4), "  ±1");
  EXPECT_EQ(pad_right("±1", 4), "±1  ");
}

TEST(Layout, ControlCharactersCannotReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\x7f"), "a?[2Jb?c?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "?1m");
  EXPECT_EQ(printable("12 µs ± ä"), "12 µs ± ä");
}

TEST(Layout, TablesAndHangingTextAreSafeForATerminal) {
  const TextTable table{.head = {{"na\x1bme"}}, .rows = {{"fma\x1b[2J"}}, .left_aligned = 1};
  EXPECT_EQ(to_text(table, " "), " na?me\n fma?[2J\n");
  EXPECT_EQ(hanging("\x1bnote: ", "a\x1b]0;b", 40), "?note: a?]0;b\n");
}

TEST(Layout, WrapsAtSpacesAndNeverInsideAWord) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("unbreakable x", 4), (std::vector<std::string>{"unbreakable", "x"}));
  EXPECT_EQ(wrap("is +-5 % here", 6), (std::vector<std::string>{"is", "+-5 %", "here"}));
  EXPECT_EQ(wrap("", 4), (std::vector<std::string>{""}));
}

TEST(Layout, HangingTextIsIndentedBelowItself) {
  EXPECT_EQ(hanging("note: ", "one two three four five six seven", 26),
            "note: one two three four\n      five six seven\n");
}

TEST(Layout, TableLeavesOutColumnsWithoutACell) {
  TextTable table;
  table.head = {{"name", "a", "b"}};
  table.rows = {{"x", "", "1"}, {"long", "", "22"}};
  table.left_aligned = 1;
  EXPECT_EQ(to_text(table, " "), " name   b\n x      1\n long  22\n");
}

TEST(Layout, NumbersForPeople) {
  EXPECT_EQ(plain(812.4321), "812.4");
  EXPECT_EQ(plain(0.0012345, 3), "0.00123");
  EXPECT_EQ(plain(0.0), "0");
  EXPECT_EQ(plain(81243.7), "81244");
  EXPECT_EQ(power_text(Watts(271.84)), "271.8 W");
  EXPECT_EQ(power_text(Watts(2.7)), "2.70 W");
  EXPECT_EQ(duration_text(Seconds(0.325)), "325.0 ms");
  EXPECT_EQ(duration_text(Seconds(4321.04)), "4321.0 s");
}

TEST(Layout, PercentageHasASignAndNoReferenceMeansNone) {
  EXPECT_EQ(signed_percent({103.1, 100.0}), "+3.1 %");
  EXPECT_EQ(signed_percent({99.96, 100.0}), "-0.04 %");
  EXPECT_EQ(signed_percent({99.999, 100.0}), "0.00 %");
  EXPECT_EQ(signed_percent({1.0, 0.0}), std::nullopt);
}

TEST(Layout, IntervalComesInTwoParts) {
  const SplitInterval symmetric = split_interval({143.8312, 143.6612, 144.0012, 0.95}, "J");
  EXPECT_EQ(symmetric.value, "143.83 J");
  EXPECT_EQ(symmetric.spread, "± 0.17 J (0.12 %)");
  const SplitInterval lopsided = split_interval({10.0, 9.0, 14.0, 0.95}, "J");
  EXPECT_EQ(lopsided.value, "10.0 J");
  EXPECT_EQ(lopsided.spread, "[9.0, 14.0]");
  EXPECT_EQ(unitless_text({2.0, 1.9, 2.1, 0.95}), "2.00 ± 0.10 (5.0 %)");
}

}  // namespace
}  // namespace truewatt::report
