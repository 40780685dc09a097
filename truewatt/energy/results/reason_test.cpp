#include "truewatt/energy/results/reason.hpp"

#include <gtest/gtest.h>

#include "truewatt/base/enum_table.hpp"

namespace truewatt::energy {
namespace {

TEST(Reason, EachIsFoundByItsCodeAndHasASentence) {
  for (std::size_t i = 0; i < kEnumerators<Reason>; ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(parse_reason(to_string(reason)), reason) << to_string(reason);
    EXPECT_FALSE(explain(reason).empty()) << to_string(reason);
  }
}

TEST(Reason, ACodeThatNoneHasIsAbsent) {
  EXPECT_EQ(parse_reason(""), std::nullopt);
  EXPECT_EQ(parse_reason("interrupte"), std::nullopt);
}

}  // namespace
}  // namespace truewatt::energy
