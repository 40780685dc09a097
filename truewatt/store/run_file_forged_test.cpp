// Run files that somebody made or changed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>

#include "truewatt/store/run_file.hpp"
#include "truewatt/testing/test_run_file.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

class ForgedRunFile : public RunFileTest {
 protected:
  /// A small run file after `sql`.
  Result<RunFile> read_after(const std::string& sql) {
    std::filesystem::remove(file());
    write_small_file(file());
    sqlite3* database = nullptr;
    sqlite3_open(file().c_str(), &database);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << message;
    sqlite3_close(database);
    return read_run_file(file());
  }
};

TEST_F(ForgedRunFile, WithMoreThanPlainTablesIsRefused) {
  for (const std::string sql :
       {"DROP TABLE metadata; CREATE VIEW metadata AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL "
        "SELECT n + 1 FROM c) SELECT n AS key, n AS value FROM c",
        "CREATE TRIGGER t AFTER INSERT ON gaps BEGIN DELETE FROM gaps; END",
        "DROP TABLE gaps; CREATE TABLE gaps(source, begin_ns, end_ns, cause AS (hex(zeroblob(9))))",
        "DROP TABLE gaps; CREATE TABLE gaps(source, begin_ns, end_ns, "
        "cause TEXT GENERATED ALWAYS AS ('x') VIRTUAL)"}) {
    const auto read = read_after(sql);
    ASSERT_FALSE(read) << sql;
    EXPECT_EQ(read.error().code, Errc::parse);
    EXPECT_THAT(read.error().message, HasSubstr("not a plain table")) << sql;
  }
}

TEST_F(ForgedRunFile, ATextIsNoReading) {
  const auto read = read_after("UPDATE sample_rows SET value = 'much'");
  ASSERT_TRUE(read) << read.error().message;
  const auto& samples = read->devices.at(0).recording.traces.at(0).samples;
  ASSERT_FALSE(samples.empty());
  EXPECT_TRUE(std::isnan(samples.front().value));
}

TEST_F(ForgedRunFile, AWindowThatEndsBeforeItBeginsIsRefused) {
  const auto read = read_after("INSERT INTO windows VALUES(0, 5, 4, 'load')");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("ends before it begins"));
}

TEST_F(ForgedRunFile, AValueOfManyMegabytesIsRefused) {
  EXPECT_FALSE(read_after("INSERT INTO metadata VALUES('long', hex(zeroblob(20000000)))"));
}

}  // namespace
}  // namespace truewatt::store
