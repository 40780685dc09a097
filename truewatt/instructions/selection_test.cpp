#include "truewatt/instructions/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::instructions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> notes_of(std::vector<std::string> only) {
  return notes_of_partners({.only = std::move(only)});
}

TEST(Selection, SaysWhyAPartnerIsAmongTheRows) {
  const auto keys = select_rows({.only = {"sin.approx.f32"}});
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->front().instruction, "add.f32");
  EXPECT_THAT(notes_of({"sin.approx.f32"}),
              ElementsAre("add.f32 is measured too: each sin.approx.f32 runs together with "
                          "one, whose energy is subtracted"));
  EXPECT_THAT(notes_of({"sin.approx.f32", "cos.approx.f32"}),
              ElementsAre("add.f32 is measured too: each sin.approx.f32 (and 1 more) runs "
                          "together with one, whose energy is subtracted"));
}

TEST(Selection, SaysNothingOfPartnersThatAreNamed) {
  EXPECT_THAT(notes_of({"sin.approx.f32", "add.f32"}), IsEmpty());
  EXPECT_THAT(notes_of({"all"}), IsEmpty());
  EXPECT_THAT(notes_of({"fma.rn.f32"}), IsEmpty());
  EXPECT_THAT(notes_of({}), IsEmpty());
}

}  // namespace
}  // namespace truewatt::instructions
