#include "truewatt/model/profile_reason.hpp"

#include <gtest/gtest.h>

#include "truewatt/base/enum_table.hpp"
#include "truewatt/model/calibration_reason.hpp"
#include "truewatt/model/source_class.hpp"

namespace truewatt {
namespace {

/// Every enumerator is found by its code, and nothing by "".
template <class Enum>
void expect_found(std::optional<Enum> (*parse)(std::string_view)) {
  for (std::size_t i = 0; i < kEnumerators<Enum>; ++i) {
    const auto one = static_cast<Enum>(i);
    EXPECT_EQ(parse(to_string(one)), one) << to_string(one);
  }
  EXPECT_EQ(parse(""), std::nullopt);
}

TEST(ProfileCodes, AreFoundByTheirNames) {
  expect_found(parse_profile_reason);
  expect_found(parse_steadiness_reason);
  expect_found(parse_source_verdict);
  expect_found(parse_response_class);
  expect_found(parse_counting);
  expect_found(parse_published_protocol);
  expect_found(parse_calibration_reason);
}

TEST(ProfileCodes, ThatOnlyANewerProgramKnowsAreKeptAndEqualNone) {
  const auto coded = Coded<SourceVerdict>::read("dreaming", parse_source_verdict);
  EXPECT_EQ(coded.code(), "dreaming");
  EXPECT_FALSE(coded.known());
  EXPECT_FALSE(coded.empty());
  for (std::size_t i = 0; i < kEnumerators<SourceVerdict>; ++i) {
    EXPECT_NE(coded, static_cast<SourceVerdict>(i));
  }
}

TEST(ProfileCodes, OfNothingAreEmpty) {
  const auto coded = Coded<SourceVerdict>::read("", parse_source_verdict);
  EXPECT_TRUE(coded.empty());
  EXPECT_EQ(coded, Coded<SourceVerdict>());
  EXPECT_EQ(coded.code(), "");
}

TEST(ProfileCodes, ReasonsHaveTheirSentences) {
  EXPECT_EQ(explain(ProfileReason::no_readings), "The source showed nothing.");
  EXPECT_EQ(explain(Coded<ProfileReason>::read("dreaming", parse_profile_reason)), "");
  EXPECT_EQ(explain(CalibrationReason::interrupted),
            "The protocol was cut short; what was measured until then counts.");
  EXPECT_EQ(explain(Coded<CalibrationReason>::read("dreaming", parse_calibration_reason)),
            "dreaming");
}

}  // namespace
}  // namespace truewatt
