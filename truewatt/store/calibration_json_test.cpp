#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/store/profile_file.hpp"
#include "truewatt/testing/example_profile.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

TEST(CalibrationJson, GivesBackEveryValue) {
  const Calibration written = example_calibration();
  const auto read = calibration_from_json(calibration_to_json(written), "c.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->device, written.device);
  EXPECT_EQ(read->source, written.source);
  expect_equal(read->gain, written.gain);
  expect_equal(read->offset_w, written.offset_w);
  EXPECT_EQ(read->r_squared, written.r_squared);
  EXPECT_EQ(read->meter, written.meter);
  EXPECT_EQ(read->created, written.created);
  EXPECT_EQ(read->levels, written.levels);
  EXPECT_EQ(read->terms, written.terms);
  EXPECT_EQ(read->reasons, written.reasons);
}

TEST(CalibrationJson, WhatIsNotKnownIsNull) {
  Calibration written = example_calibration();
  written.r_squared.reset();
  written.created.clear();
  const std::string json = calibration_to_json(written);
  EXPECT_THAT(json, HasSubstr("\"r_squared\": null"));
  const auto read = calibration_from_json(json, "c.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->r_squared);
  EXPECT_EQ(read->created, "");
}

TEST(CalibrationJson, NeedsItsSource) {
  const std::string json = calibration_to_json(example_calibration());
  const auto read =
      calibration_from_json(with_replaced(json, "energy.counter", "energy"), "c.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "c.json: source is not the name of a source");
}

}  // namespace
}  // namespace truewatt::store
