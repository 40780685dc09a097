#include "truewatt/trace/formats/rows/row_tally.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

TEST(RowTally, CountsEveryBadRowAndDescribesTheFirstFew) {
  RowTally tally;
  tally.good();
  for (std::size_t line = 2; line < 12; ++line) tally.bad(line, "power.draw is 'x'");
  EXPECT_EQ(tally.rows(), 1U);
  EXPECT_EQ(tally.bad_rows(), 10U);
  const auto warnings = tally.warnings();
  ASSERT_EQ(warnings.size(), RowTally::kWarningsKept + 1);
  EXPECT_EQ(warnings.front(), "line 2: power.draw is 'x'");
  EXPECT_EQ(warnings.back(), "2 more rows could not be read whole");
}

}  // namespace
}  // namespace truewatt::trace
