#include "truewatt/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace truewatt {
namespace {

Result<int> parse_positive(int value) {
  if (value <= 0)
    return Unexpected(Errc::invalid_argument, "value must be positive, got 0 or less");
  return value;
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(*parse_positive(3), 3);
  const Result<int> failed = parse_positive(-1);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::invalid_argument);
  EXPECT_EQ(failed.value_or(7), 7);
}

TEST(Result, MovesMoveOnlyValuesOut) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, OfVoidIsSuccessUnlessGivenAnError) {
  const Result<void> good;
  EXPECT_TRUE(good);
  const Result<void> bad = Unexpected(Errc::io, "disk full");
  EXPECT_EQ(to_string(bad.error().code), "io");
}

}  // namespace
}  // namespace truewatt
