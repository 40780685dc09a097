#include "truewatt/trace/formats/meters/pmd2_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::string little(std::int64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  return bytes;
}

std::string sensor(int millivolts, int milliamperes, int milliwatts) {
  return little(millivolts, 2) + little(milliamperes, 4) + little(milliwatts, 4);
}

/// ATX, then HPWR 12.1 V 20 A, nothing on EPS1, EPS2 that feeds back a little, PCIE1 and 2.
std::string plugs() {
  return sensor(12000, 1000, 12000) + sensor(5000, 2000, 10000) + sensor(5000, 0, 0) +
         sensor(3300, 1000, 3300) + sensor(12100, 20000, 242000) + sensor(0, 0, 0) +
         sensor(12000, -50, -600) + sensor(12000, 5000, 60000) + sensor(11900, 4000, 47600) +
         sensor(12000, 0, 0);
}

std::string answer(Pmd2Model model) {
  const std::string head = little(3300, 2) + little(-5, 2);
  const std::string tail(8 + 10, '\0');
  if (model == Pmd2Model::pmd2) return head + plugs() + tail;
  std::string wires;
  for (int i = 0; i < 6; ++i) wires += sensor(12100, 3333, 40333);
  return head + std::string(4, '\0') + plugs() + wires + tail;
}

TEST(Pmd2Values, AreThePowersOfAGpusPlugs) {
  for (const Pmd2Model model : {Pmd2Model::pmd2, Pmd2Model::pmd2x}) {
    const auto values = parse_pmd2_values(answer(model), model);
    ASSERT_TRUE(values) << values.error().message;
    EXPECT_THAT(values->watts, ElementsAre(242.0, 0.0, -0.6, 60.0, 47.6, 0.0));
    EXPECT_DOUBLE_EQ(values->total().value(), 349.0) << "without ATX, and HPWR's wires once";
  }
}

TEST(Pmd2Values, LengthsAreThoseOfTheHostSoftwaresStructs) {
  EXPECT_EQ(layout_of(Pmd2Model::pmd2).whole_bytes, 122U);
  EXPECT_EQ(layout_of(Pmd2Model::pmd2).whole_bytes_too, 122U);
  EXPECT_EQ(answer(Pmd2Model::pmd2).size(), 122U);
  EXPECT_EQ(layout_of(Pmd2Model::pmd2x).whole_bytes, 186U);
  EXPECT_EQ(layout_of(Pmd2Model::pmd2x).whole_bytes_too, 192U);
}

TEST(Pmd2Values, TooFewBytesAndBytesOutOfStepAreErrors) {
  const std::string bytes = answer(Pmd2Model::pmd2);
  EXPECT_EQ(parse_pmd2_values(bytes.substr(0, 103), Pmd2Model::pmd2).error().code,
            Errc::insufficient_data);
  EXPECT_TRUE(parse_pmd2_values(bytes.substr(0, 104), Pmd2Model::pmd2));
  for (std::size_t lost = 1; lost < 10; ++lost) {
    const auto shifted = parse_pmd2_values(bytes.substr(lost) + bytes, Pmd2Model::pmd2);
    ASSERT_FALSE(shifted) << lost;
    EXPECT_EQ(shifted.error().code, Errc::parse);
    EXPECT_THAT(shifted.error().message, HasSubstr("do not fit together"));
  }
}

TEST(Pmd2Values, AMeansPowerMayDifferFromThatOfTheMeansALittle) {
  std::string bytes = answer(Pmd2Model::pmd2);
  bytes.replace(4 + 40, 10, sensor(12100, 20000, 250000));  // 3 % more
  EXPECT_TRUE(parse_pmd2_values(bytes, Pmd2Model::pmd2));
  bytes.replace(4 + 40, 10, sensor(12100, 20000, 270000));
  EXPECT_FALSE(parse_pmd2_values(bytes, Pmd2Model::pmd2));
}

}  // namespace
}  // namespace truewatt::trace
