#include "truewatt/measure/work_done.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace truewatt::measure {
namespace {

TEST(WorkDone, IsANumberAndMayNameItsUnit) {
  const auto with = parse_work("1e6 tokens\n", "units");
  ASSERT_TRUE(with);
  EXPECT_EQ(with->done, 1e6);
  EXPECT_EQ(with->unit, "tokens");
  const auto without = parse_work("12\n", "images");
  ASSERT_TRUE(without);
  EXPECT_EQ(without->unit, "images");
  for (const char* text : {"", "many", "0", "-3", "nan", "inf"}) {
    EXPECT_FALSE(parse_work(text, "images")) << text;
  }
  for (const char* text : {"1e6\n2e6\n", "5 tokens\n7 tokens\n", "1 000 000 tokens"}) {
    EXPECT_FALSE(parse_work(text, "images")) << text << ": which of them?";
  }
}

TEST(WorkDone, OfAFileIsWhatWasWrittenSince) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "truewatt_work_done";
  std::ofstream(path) << "5 tokens";
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const WorkDone done({.done = {}, .file = path});
  const auto stale = done.after();
  ASSERT_FALSE(stale);
  EXPECT_THAT(stale.error().message, testing::HasSubstr("did not write it"));
  std::ofstream(path) << "7 tokens";
  const auto fresh = done.after();
  ASSERT_TRUE(fresh) << fresh.error().message;
  EXPECT_EQ(fresh->done, 7);
  std::filesystem::remove(path);
}

TEST(WorkDone, IsKeptInRunFiles) {
  const auto work = work_of(metadata_of({2.5e9, "FLOP of work"}));
  ASSERT_TRUE(work);
  EXPECT_EQ(work->done, 2.5e9);
  EXPECT_EQ(work->unit, "FLOP of work");
  EXPECT_FALSE(work_of({}));
}

}  // namespace
}  // namespace truewatt::measure
