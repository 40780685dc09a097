#include "truewatt/store/text_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace truewatt::store {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_ = fs::path(testing::TempDir()) / ("output_" + std::to_string(getpid()));
};

TEST_F(OutputFile, IsCheckedAndNothingIsLeft) {
  EXPECT_TRUE(check_output_file(folder_ / "new.json"));
  EXPECT_EQ(files(), 0U);
  ASSERT_TRUE(write_output_file(folder_ / "old.json", "old"));
  EXPECT_TRUE(check_output_file(folder_ / "old.json"));
  EXPECT_EQ(read_text_file(folder_ / "old.json").value(), "old");
  EXPECT_EQ(files(), 1U);
  EXPECT_TRUE(check_output_file("/dev/null"));
}

TEST_F(OutputFile, ThatCannotBeWrittenSaysWhy) {
  const auto nowhere = check_output_file(folder_ / "no" / "file.json");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Errc::unavailable);
  const auto a_folder = check_output_file(folder_);
  ASSERT_FALSE(a_folder);
  EXPECT_NE(a_folder.error().message.find("it is a folder; name a file in it"), std::string::npos)
      << a_folder.error().message;
}

TEST_F(OutputFile, BehindALinkIsReplacedAndTheLinkStays) {
  ASSERT_TRUE(write_output_file(folder_ / "file", "1"));
  fs::create_symlink(folder_ / "file", folder_ / "link");
  EXPECT_TRUE(check_output_file(folder_ / "link"));
  ASSERT_TRUE(write_output_file(folder_ / "link", "2"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_text_file(folder_ / "file").value(), "2");
}

}  // namespace
}  // namespace truewatt::store
