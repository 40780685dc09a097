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

TEST(Reason, IsAddedOnce) {
  std::vector<Reason> reasons;
  for (const Reason reason : {Reason::gpu_lost, Reason::interrupted, Reason::gpu_lost}) {
    add_reason(reasons, reason);
  }
  EXPECT_EQ(reasons, (std::vector{Reason::gpu_lost, Reason::interrupted}));
  EXPECT_TRUE(has_reason(reasons, Reason::interrupted));
  EXPECT_FALSE(has_reason(reasons, Reason::clock_step));
}

}  // namespace
}  // namespace truewatt::energy
