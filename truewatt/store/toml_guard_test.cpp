#include "truewatt/store/toml_guard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace truewatt::store {
namespace {

std::string key_of_parts(int parts) {
  std::string key = "a";
  for (int i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(FindDeepKey, AllowsSixteenPartsAndNoMore) {
  EXPECT_EQ(find_deep_key(key_of_parts(16) + " = 1"), std::nullopt);
  EXPECT_EQ(find_deep_key(key_of_parts(17) + " = 1"), 1);
}

TEST(FindDeepKey, FindsThemWhereverTheyAre) {
  const std::string deep = key_of_parts(17);
  EXPECT_EQ(find_deep_key(fmt::format("x = 1\n[{}]\n", deep)), 2);
  EXPECT_EQ(find_deep_key(fmt::format("x = {{ {} = 1 }}", deep)), 1);
  EXPECT_EQ(find_deep_key(fmt::format("x = '''\n'''\ny = \"\\\"\"\n[[{}]]", deep)), 4);
  EXPECT_EQ(find_deep_key(fmt::format("'q'.\"=\".{} = 1", deep)), 1);
  EXPECT_EQ(find_deep_key(fmt::format("x = [\"\"\"a\"\"\"\", {{{} = 1}}]", deep)), 1)
      << "a quote may stand right before the closing ones";
}

TEST(FindDeepKey, CountsNoDotsOfStringsCommentsAndNumbers) {
  const std::string dots(40, '.');
  EXPECT_EQ(find_deep_key(fmt::format("x = \"{}\" # {}\n", dots, dots)), std::nullopt);
  EXPECT_EQ(find_deep_key(fmt::format("x = '''{0}\n{0}'''\n", dots)), std::nullopt);
  std::string numbers = "x = [";
  for (int i = 0; i < 40; ++i) numbers += "1.5, ";
  EXPECT_EQ(find_deep_key(numbers + "]"), std::nullopt);
}

TEST(FindDeepKey, EndsWithTheTextInsideAnOpenString) {
  for (const char* text : {"x = \"", "x = '''", "x = \"\\", "# no newline", "\"", ""}) {
    EXPECT_EQ(find_deep_key(text), std::nullopt) << text;
  }
}

TEST(ShiftBeyondAscii, MovesCharactersToPlane15AndBack) {
  EXPECT_EQ(shift_beyond_ascii("gr\u00fcn \u20ac"), "gr\U000F00FCn \U000F20AC");
  for (const char* text : {"plain", "\u0080\u07ff\u0800\uffff", "\u0191 \u02e3 \u3000", ""}) {
    EXPECT_EQ(shift_back(shift_beyond_ascii(text)), text);
  }
}

TEST(ShiftBeyondAscii, LeavesWhatIsNotForIt) {
  for (const char* text : {"\U0001F50B", "\xEF\xBB\xBFname", "\x80", "\xC3", "\xE2\x82", "\xC0\x80",
                           "\xE0\x80\x80", "\xED\xA0\x80", "\xF3"}) {
    EXPECT_EQ(shift_beyond_ascii(text), text);
    EXPECT_EQ(shift_back(text), text);
  }
}

}  // namespace
}  // namespace truewatt::store
