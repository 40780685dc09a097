#include "truewatt/store/output_place.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "truewatt/store/text_file.hpp"

namespace truewatt::store {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 65534;

class OutputPlace : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "shared");
    std::ofstream(folder_ / "target") << "old";
    ::chmod((folder_ / "shared").c_str(), 01777);
    fs::create_symlink(folder_ / "target", folder_ / "shared/link");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::path(testing::TempDir()) / ("place_" + std::to_string(getpid()));
};

TEST_F(OutputPlace, IsBehindALinkOfOurs) {
  EXPECT_EQ(place_of_output(folder_ / "shared/link").value(), fs::canonical(folder_ / "target"));
}

TEST_F(OutputPlace, IsNotBehindAStrangersLinkWhereAllMayWrite) {
  const fs::path link = folder_ / "shared/link";
  if (::lchown(link.c_str(), kStranger, kStranger) != 0) GTEST_SKIP() << "needs root";
  for (const auto& refused : {check_output_file(link), write_output_file(link, "new")}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::permission);
    EXPECT_NE(refused.error().message.find("link that another user put"), std::string::npos);
  }
  EXPECT_EQ(read_text_file(folder_ / "target").value(), "old");
  ::chmod((folder_ / "shared").c_str(), 0755);
  EXPECT_TRUE(check_output_file(link)) << "nobody else writes there";
}

TEST_F(OutputPlace, IsNotThroughAStrangersFolderEither) {
  const fs::path way = folder_ / "shared/way";
  fs::create_directory_symlink(folder_, way);
  if (::lchown(way.c_str(), kStranger, kStranger) != 0) GTEST_SKIP() << "needs root";
  EXPECT_FALSE(place_of_output(way / "target"));
}

TEST_F(OutputPlace, ANewFileHasTheRightsOfTheOldOne) {
  const fs::path target = folder_ / "target";
  ::chmod(target.c_str(), 0640);
  const bool root = ::chown(target.c_str(), kStranger, kStranger) == 0;
  ASSERT_TRUE(write_output_file(target, "new"));
  struct stat now {};
  ::stat(target.c_str(), &now);
  EXPECT_EQ(now.st_mode & 0777, 0640U);
  EXPECT_EQ(now.st_uid, root ? kStranger : ::geteuid());
  EXPECT_EQ(read_text_file(target).value(), "new");
}

TEST_F(OutputPlace, SaysWhoMayHaveWrittenAFile) {
  EXPECT_EQ(whose(folder_ / "target"), "");
  ::chmod((folder_ / "target").c_str(), 0666);
  EXPECT_EQ(whose(folder_ / "target"), ", which all may write");
}

TEST_F(OutputPlace, APipeIsNotReadAsAFile) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto text = read_text_file(pipe);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::parse);
}

}  // namespace
}  // namespace truewatt::store
