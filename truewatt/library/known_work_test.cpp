#include "truewatt/library/known_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::library {
namespace {

using testing::ElementsAre;

Window window(int begin, int end, const char* label) {
  return {HostTime(std::chrono::seconds(begin)), HostTime(std::chrono::seconds(end)), label};
}

std::vector<std::string> text_of(const std::vector<ActivityInterval>& work) {
  std::vector<std::string> text;
  for (const ActivityInterval& one : work) {
    const auto seconds = [](HostTime time) {
      return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
    };
    text.push_back(std::to_string(seconds(one.begin)) + "-" + std::to_string(seconds(one.end)) +
                   " " + one.kind.what);
  }
  return text;
}

TEST(KnownWork, IsTheWindowsWhereNoneNests) {
  EXPECT_TRUE(known_work({}).empty());
  EXPECT_THAT(text_of(known_work({window(4, 5, "b"), window(1, 3, "a")})),
              ElementsAre("1-3 a", "4-5 b"));
}

TEST(KnownWork, OfNestedWindowsTheInnermostNamesIt) {
  EXPECT_THAT(text_of(known_work({window(1, 9, "all"), window(2, 4, "a"), window(6, 9, "b")})),
              ElementsAre("1-2 all", "2-4 a", "4-6 all", "6-9 b"));
}

TEST(KnownWork, OfOverlappingWindowsTheLaterNamesIt) {
  EXPECT_THAT(text_of(known_work({window(1, 4, "a"), window(3, 6, "b")})),
              ElementsAre("1-3 a", "3-4 b", "4-6 b"));
}

TEST(KnownWork, OfWindowsThatBeginTogetherTheOneGivenLastNamesIt) {
  EXPECT_THAT(text_of(known_work({window(1, 4, "outer"), window(1, 2, "inner")})),
              ElementsAre("1-2 inner", "2-4 outer"));
}

}  // namespace
}  // namespace truewatt::library
