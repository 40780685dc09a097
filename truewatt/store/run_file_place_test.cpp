#include "truewatt/store/run_file_place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "truewatt/store/run_file.hpp"
#include "truewatt/testing/test_run_file.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

class RunFilePlaceTest : public RunFileTest {
 protected:
  mode_t mode(const std::filesystem::path& path) const {
    struct stat found {};
    ::stat(path.c_str(), &found);
    return found.st_mode & 0777;
  }
  std::size_t files() const {
    namespace fs = std::filesystem;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
};

TEST_F(RunFilePlaceTest, KeepsAnyEarlierFileAsOld) {
  put("notes.txt", "three years of work");
  put("empty", "");
  sqlite3* database = nullptr;
  sqlite3_open(file("other.db").c_str(), &database);
  sqlite3_exec(database, "PRAGMA user_version = 1; CREATE TABLE t(x)", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  for (const std::string name : {"notes.txt", "empty", "other.db"}) {
    const std::string before = bytes(name);
    auto writer = RunFileWriter::create(file(name), {{"load", "new"}});
    ASSERT_TRUE(writer) << writer.error().message;
    ASSERT_TRUE(writer->finish());
    EXPECT_EQ(read_run_file(file(name))->metadata.at("load"), "new");
    EXPECT_EQ(bytes(name + ".old"), before);
  }
}

TEST_F(RunFilePlaceTest, OldIsTheLastOne) {
  for (const char* load : {"first", "second", "third"}) {
    ASSERT_TRUE(RunFileWriter::create(file(), {{"load", load}})->finish());
  }
  EXPECT_EQ(read_run_file(file("run.db.old"))->metadata.at("load"), "second");
  EXPECT_EQ(files(), 2U);
}

TEST_F(RunFilePlaceTest, OnTrialTheEarlierFileComesBack) {
  ASSERT_TRUE(RunFileWriter::create(file(), {{"load", "first"}})->finish());
  { auto second = RunFileWriter::create(file(), {{"load", "second"}}, {.on_trial = true}); }
  EXPECT_EQ(read_run_file(file())->metadata.at("load"), "first");
  EXPECT_EQ(files(), 1U);
  { auto alone = RunFileWriter::create(file("new.db"), {}, {.on_trial = true}); }
  EXPECT_EQ(files(), 1U);
}

TEST_F(RunFilePlaceTest, OnTrialWhatIsKeptStays) {
  ASSERT_TRUE(RunFileWriter::create(file(), {{"load", "first"}})->finish());
  {
    auto second = RunFileWriter::create(file(), {{"load", "second"}}, {.on_trial = true});
    second->keep();
  }
  EXPECT_EQ(read_run_file(file())->metadata.at("load"), "second");
  EXPECT_EQ(read_run_file(file("run.db.old"))->metadata.at("load"), "first");
}

TEST_F(RunFilePlaceTest, TheNewFileHasTheModeOfTheEarlierOne) {
  ASSERT_TRUE(RunFileWriter::create(file(), {})->finish());
  ::chmod(file().c_str(), 0600);
  ASSERT_TRUE(RunFileWriter::create(file(), {})->finish());
  EXPECT_EQ(mode(file()), 0600U);
  EXPECT_EQ(mode(file("run.db.old")), 0600U);
}

TEST_F(RunFilePlaceTest, LeavesJournalsOfOthersAlone) {
  put("notes.db", "text");
  for (const std::string name : {"none.db", "notes.db"}) {
    for (const char* suffix : {"-journal", "-wal", "-shm"}) {
      put(name + suffix, "important");
      const auto writer = RunFileWriter::create(file(name), {});
      ASSERT_FALSE(writer) << name << suffix;
      EXPECT_EQ(writer.error().code, Errc::invalid_argument);
      EXPECT_THAT(writer.error().message, HasSubstr("belongs to no run file"));
      EXPECT_EQ(bytes(name + suffix), "important");
      std::filesystem::remove(file(name + suffix));
    }
  }
  EXPECT_EQ(bytes("notes.db"), "text");
}

TEST_F(RunFilePlaceTest, RefusesAFolder) {
  const auto writer = RunFileWriter::create(file("."), {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, Errc::invalid_argument) << writer.error().message;
}

TEST_F(RunFilePlaceTest, SaysThatTheFileVanished) {
  auto writer = RunFileWriter::create(file(), {});
  std::filesystem::rename(file(), file("moved.db"));
  const auto finished = writer->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Errc::io);
  EXPECT_THAT(finished.error().message, HasSubstr("was removed, moved or replaced"));
  EXPECT_TRUE(read_run_file(file("moved.db"))->finished);
}

}  // namespace
}  // namespace truewatt::store
