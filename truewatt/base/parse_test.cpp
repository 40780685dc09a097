#include "truewatt/base/parse.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace truewatt {
namespace {

TEST(ParseNumber, IsWholeFiniteAndWithoutALocale) {
  EXPECT_EQ(parse_number("46.19"), 46.19);
  EXPECT_EQ(parse_number("-1e3"), -1000.0);
  for (const char* bad : {"", "46,19", "46.19W", " 1", "nan", "inf", "-inf", "1e999", "0x10"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(ParseInteger, IsWholeAndFitsItsType) {
  EXPECT_EQ(parse_integer<int>("-12"), -12);
  EXPECT_EQ(parse_integer<unsigned>("1f", 16), 31U);
  EXPECT_EQ(parse_integer<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  for (const char* bad : {"", "-1", "+1", "1.0", "1 ", " 1", "0x1", "4294967296"}) {
    EXPECT_FALSE(parse_integer<std::uint32_t>(bad)) << bad;
  }
}

}  // namespace
}  // namespace truewatt
