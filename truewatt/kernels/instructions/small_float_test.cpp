#include "truewatt/kernels/instructions/small_float.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::kernels {
namespace {

TEST(SmallFloat, GivesEveryNumberOfTheFormatBack) {
  for (const Element element : {Element::f16, Element::bf16, Element::e4m3, Element::e5m2}) {
    const std::uint64_t count = std::uint64_t{1} << format_of(element).bits;
    for (std::uint64_t bits = 0; bits < count; ++bits) {
      const double value = decode(element, bits);
      if (std::isnan(value)) continue;
      ASSERT_EQ(encode(element, value), bits) << static_cast<int>(element);
    }
  }
}

TEST(SmallFloat, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(encode(Element::f16, 1), 0x3C00U);
  EXPECT_EQ(encode(Element::f16, -2), 0xC000U);
  EXPECT_EQ(encode(Element::f16, 1 + 0x1p-11), 0x3C00U);
  EXPECT_EQ(encode(Element::f16, 1 + 0x3p-11), 0x3C02U);
  EXPECT_EQ(encode(Element::f16, 65504), 0x7BFFU);
  EXPECT_EQ(encode(Element::f16, 65520), 0x7C00U);
  EXPECT_EQ(encode(Element::f16, 0x1p-24), 1U);
  EXPECT_EQ(encode(Element::bf16, 1), 0x3F80U);
  EXPECT_EQ(encode(Element::e4m3, 448), 0x7EU);
  EXPECT_EQ(encode(Element::e4m3, 1000), 0x7EU);
  EXPECT_EQ(encode(Element::tf32, 1.5), 0x3FC00000U);
  EXPECT_EQ(encode(Element::f16, NAN), 0x7FFFU);
}

}  // namespace
}  // namespace truewatt::kernels
