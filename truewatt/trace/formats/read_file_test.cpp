#include "truewatt/trace/formats/read_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace truewatt::trace {
namespace {

std::filesystem::path written(const std::string& content) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                                     testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(ReadFile, ReturnsEveryByte) {
  const std::string content("a\r\n\0b", 5);
  EXPECT_EQ(read_file(written(content)).value(), content);
}

TEST(ReadFile, StartIsAtMostWhatWasAskedFor) {
  const auto path = written("abcdef");
  EXPECT_EQ(read_file_start(path, 3).value(), "abc");
  EXPECT_EQ(read_file_start(path, 100).value(), "abcdef");
}

TEST(ReadFile, MissingFileIsUnavailableAndNamed) {
  const auto content = read_file("/no/such/file");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, Errc::unavailable);
  EXPECT_NE(content.error().message.find("/no/such/file"), std::string::npos);
}

TEST(ReadFile, FolderIsRefused) {
  const auto content = read_file(testing::TempDir());
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, Errc::invalid_argument);
}

TEST(ReadFile, DeviceIsRefused) {
  EXPECT_EQ(read_file("/dev/null").error().code, Errc::invalid_argument);
}

}  // namespace
}  // namespace truewatt::trace
