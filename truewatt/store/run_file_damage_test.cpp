#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "truewatt/store/run_file.hpp"
#include "truewatt/testing/test_run_file.hpp"

// What reading makes of files that are damaged, cut short, of another program or of a later time.
namespace truewatt::store {
namespace {

using testing::HasSubstr;

class DamagedRunFileTest : public RunFileTest {};

TEST_F(DamagedRunFileTest, SaysWhatIsWrongWithAFileThatIsNotARunFile) {
  put("empty", "");
  put("short", "S");
  put("garbage", std::string(10'000, 'x'));
  put("magic", std::string("SQLite format 3\0", 16) + std::string(5000, '\xa5'));
  for (const char* name : {"empty", "short", "garbage", "magic", "."}) {
    const auto read = read_run_file(file(name));
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, Errc::parse) << name;
    EXPECT_THAT(read.error().message, HasSubstr(file(name).string()));
  }
  EXPECT_THAT(read_run_file(file("empty")).error().message, HasSubstr("is empty"));
  EXPECT_EQ(read_run_file(file("absent")).error().code, Errc::unavailable);
}

TEST_F(DamagedRunFileTest, SaysThatANewerTruewattWroteIt) {
  write_small_file(file());
  sqlite3* database = nullptr;
  sqlite3_open(file().c_str(), &database);
  sqlite3_exec(database, "PRAGMA user_version = 2", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  const auto read = read_run_file(file());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::unsupported);
  EXPECT_THAT(read.error().message, HasSubstr("version 2"));
  EXPECT_THAT(read.error().message, HasSubstr("update truewatt"));
}

TEST_F(DamagedRunFileTest, NeverReadsATruncatedFileAsWhole) {
  {
    auto writer = RunFileWriter::create(file("whole.db"), {});
    const std::vector<SourceId> sources = {kInstant};
    const int device = writer->add_device({.uuid = "GPU-1"}, sources).value();
    const std::vector<Sample> samples(1000, sample_at(1'000'000'000, 0.1));
    ASSERT_TRUE(writer->append(device, kInstant, samples));
    ASSERT_TRUE(writer->finish());
  }
  const std::string whole = bytes("whole.db");
  for (std::size_t size = 512; size < whole.size(); size += 4096 - 512) {
    put("run.db", std::string_view(whole).substr(0, size));
    const auto read = read_run_file(file());
    ASSERT_FALSE(read) << size << " of " << whole.size() << " bytes";
    EXPECT_EQ(read.error().code, Errc::parse) << read.error().message;
  }
}

TEST_F(DamagedRunFileTest, RefusesRowsOfThingsThatItDoesNotDescribe) {
  for (const char* damage :
       {"INSERT INTO sample_rows VALUES(77, 0, 1, NULL, 1.0, 1)",
        "INSERT INTO windows VALUES(77, 0, 1, '')", "UPDATE sources SET source = 'power.guess'",
        "INSERT INTO estimate_reasons VALUES(77, 'gpu_lost')", "DROP TABLE gaps"}) {
    write_small_file(file());
    sqlite3* database = nullptr;
    sqlite3_open(file().c_str(), &database);
    ASSERT_EQ(sqlite3_exec(database, damage, nullptr, nullptr, nullptr), SQLITE_OK) << damage;
    sqlite3_close(database);
    const auto read = read_run_file(file());
    ASSERT_FALSE(read) << damage;
    EXPECT_EQ(read.error().code, Errc::parse) << damage;
  }
}

}  // namespace
}  // namespace truewatt::store
