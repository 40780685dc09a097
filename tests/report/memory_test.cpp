#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/memory/memory_html.hpp"
#include "truewatt/report/memory/memory_json.hpp"
#include "truewatt/report/memory/memory_text.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The data of the figures of a page's section.
Json figures_in_section(const std::string& html, std::size_t section) {
  std::size_t at = 0;
  const std::string_view begin = "<script type=\"application/json\"";
  for (std::size_t i = 0; i <= section; ++i) at = html.find(begin, at + 1);
  const std::size_t from = html.find('>', at) + 1;
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(MemoryHtml, DrawsEveryRowWithANumberAndWhatIsPublishedBesideIt) {
  const Json levels = figures_in_section(memory_html(sample_memory(), {}), 0)["figures"][0]["rows"];
  ASSERT_EQ(levels.size(), 4U) << "neither the invalid row nor the one without a number";
  EXPECT_EQ(levels[0]["published"], 82.1);
  EXPECT_EQ(levels[2]["text"], "800 ± 16 pJ");
  EXPECT_TRUE(levels[2]["doubt"].get<bool>());
  EXPECT_FALSE(levels[3]["doubt"].get<bool>());
  auto table = sample_memory();
  for (auto& row : table.levels) row.reasons = {memory::Reason::fewer_blocks};
  const Json on_fewer = figures_in_section(memory_html(table, {}), 0)["figures"][0]["rows"];
  EXPECT_FALSE(on_fewer[2]["doubt"].get<bool>());
}

TEST(MemoryHtml, HoldsEveryNumberAndEscapesNames) {
  const std::string html = memory_html(sample_memory(), {{"Device", kHostileName}});
  for (const char* text : {"96.1\u00a0%", "2530\u00a0±\u00a051", "stores that hit here go on",
                           "the time ended before its turn", "R² = 0.9987", "L1 192 KiB"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  EXPECT_THAT(html, HasSubstr("<td>invalid</td>"));
  EXPECT_THAT(html, Not(HasSubstr("810\u00a0±"))) << "stores to L1 that went on to L2";
  EXPECT_THAT(html, HasSubstr(escape_html(kHostileName)));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
}

TEST(MemoryHtml, LeavesOutDivisionsThatAreNoiseAndDrawsTheLineOfAccesses) {
  const Json figures = figures_in_section(memory_html(sample_memory(), {}), 2)["figures"];
  ASSERT_EQ(figures.size(), 3U);
  const Json& line = figures[1]["series"][1];
  EXPECT_EQ(line["x"], Json({2, 6}));
  EXPECT_EQ(line["y"], Json({0.4, 1.2}));
  // The published slope of one thread, 1600 pJ, from the first run on.
  EXPECT_EQ(figures[1]["series"][2]["y"], Json({0.4, 6.8}));
  // Half-widths are 1.5, 0.75, 0.375, ... of the value: known to half of it from 16 threads on.
  EXPECT_EQ(figures[2]["series"][0]["x"], Json({16, 64, 256, 1024}));
}

/// Delestrac et al. (2024): 150 and 190 kB, 15 and 22 MB in the text of Fig. 2.
TEST(MemoryHtml, PublishedMissesAreBesideOurs) {
  const Json caches = figures_in_section(memory_html(sample_memory(), {}), 1)["figures"];
  const Json& l1 = caches[0]["series"];
  ASSERT_EQ(l1.size(), 3U);
  EXPECT_EQ(l1[1]["mark"], "dashes");
  EXPECT_EQ(l1[2]["x"], Json({146.48, 185.55})) << "KiB";
  EXPECT_EQ(l1[2]["y"], Json({0, 100}));
  // Where misses were not counted, there is a time to be drawn, and the sizes are marks.
  EXPECT_EQ(caches[1]["series"].size(), 1U);
  EXPECT_NEAR(caches[1]["guides"][1]["upper"].get<double>(), 22e6 / 1048576, 1e-9);
}

TEST(MemoryHtml, PublishedEnergiesByThreadsAreMarked) {
  const Json figures = figures_in_section(memory_html(sample_memory(), {}), 2)["figures"];
  std::vector<Json> numbers;
  for (const Json& one : figures[0]["series"]) {
    if (one["mark"] == "points") numbers.push_back(one);
  }
  ASSERT_EQ(numbers.size(), 2U) << "L1 and L2";
  EXPECT_EQ(numbers[0]["x"], Json({1, 2, 1024}));
  EXPECT_EQ(numbers[0]["y"], Json({1600, 1600, 107}));
  EXPECT_EQ(numbers[1]["y"], Json({8490, 4260, 378}));
}

TEST(MemoryJson, APathIsGivenPerSectorAndPerByte) {
  const Json document = Json::parse(memory_json(sample_memory()));
  const Json& shared = document["levels"][0];
  EXPECT_DOUBLE_EQ(shared["joules_per_sector"]["value"].get<double>(), 83e-12);
  EXPECT_DOUBLE_EQ(shared["joules_per_byte"]["value"].get<double>(), 83e-12 / 32);
  EXPECT_TRUE(document["levels"][5]["joules_per_sector"].is_null());
  EXPECT_EQ(document["reasons"],
            Json({"mixed_levels", "imprecise", "write_through", "not_counted", "not_measured"}));
}

TEST(MemoryCsv, HasAHeadAndARowForEveryLevel) {
  const std::string csv = memory_csv(sample_memory(), ";");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  EXPECT_THAT(csv, HasSubstr("l2;load;random;8e-10;7.84e-10;8.16e-10;6.8e-10;3.75e+12;310;"
                             "1.755e+09;true;mixed_levels imprecise\n"));
  EXPECT_THAT(csv, HasSubstr("dram;store;zeros;;;;;;;;false;not_counted not_measured\n"));
}

TEST(MemoryText, ChainsAreInOrderThoughALevelLacksSome) {
  memory::Table table = sample_memory();
  const auto is_lacking = [](const memory::SweepPoint& point) {
    return point.level == memory::Level::shared && point.parallel.threads == 16;
  };
  ASSERT_EQ(std::erase_if(table.sweep, is_lacking), 1U);
  std::size_t at = 0;
  const std::string text = memory_text(table, {.verbose = true, .width = 100});
  for (const char* row : {"\n   1 ", "\n   4 ", "\n   16 ", "\n   64 ", "\n   256 ", "\n   1024 ",
                          "\n   1024 on 12.5 % of the SMs "}) {
    const std::size_t next = text.find(row, at);
    ASSERT_NE(next, std::string::npos) << row;
    at = next;
  }
}

TEST(MemoryText, NamesWhatHasNoNumber) {
  const std::string text = memory_text(sample_memory(), {.width = 100});
  EXPECT_THAT(text, HasSubstr("invalid"));
  EXPECT_THAT(text, HasSubstr("L1 store: stores that hit here go on to the next level"));
  EXPECT_THAT(text, HasSubstr("lines not seen"));
}

}  // namespace
}  // namespace truewatt::report
