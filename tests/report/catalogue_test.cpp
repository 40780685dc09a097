#include "truewatt/report/catalogue/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/testing/golden.hpp"

namespace truewatt::report {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::string& name) {
  const auto view = catalogue_view(name);
  return view ? catalogue_text(*view) : "";
}

TEST(CatalogueText, MatchesItsGoldenFiles) {
  expect_golden("catalogue.txt", catalogue_text(whole_catalogue()));
  expect_golden("catalogue_profile.txt", catalogue_text(sample_catalogue()));
}

TEST(CatalogueText, LinesStayWithinTheWidth) {
  std::vector<std::string> texts = {catalogue_text(sample_catalogue()),
                                    catalogue_text(whole_catalogue())};
  for (const catalogue::Family family : catalogue::families()) {
    texts.push_back(text_of(std::string(name_of(family))));
  }
  for (const std::string& text : texts) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
  }
}

TEST(CatalogueText, TableHasARowForEveryFamily) {
  const std::string text = catalogue_text(whole_catalogue());
  EXPECT_THAT(text, ContainsRegex("Hopper GH100\\* +– +– +3 100/1000 +3 100/1000 +1 100/25\n"));
  EXPECT_THAT(text, ContainsRegex("Volta +4 20/10 +4 20/10 +4 20/10 +– +4 20/10\n"));
  EXPECT_THAT(text, ContainsRegex("Kepler 1.0\\* +6 15 log +– +– +– +–\n"));
  for (const catalogue::Family family : catalogue::families()) {
    EXPECT_THAT(text, HasSubstr("\n " + std::string(name_of(family))));
  }
}

TEST(CatalogueText, AProductShowsItsOwnBoardsAndItsFamilysContradictions) {
  const std::string rtx8000 = text_of("Quadro RTX 8000");
  EXPECT_THAT(rtx8000, HasSubstr("! spreadsheet, RTX 8000: Windows of about 20 ms"));
  EXPECT_THAT(rtx8000, HasSubstr("Boards tested (Table I): 4 x RTX 8000\n"));
  EXPECT_THAT(rtx8000, Not(HasSubstr("Against a meter")));
  EXPECT_THAT(text_of("NVIDIA GeForce RTX 3090"), HasSubstr("RTX 3090 #5             1.0172"));
  EXPECT_THAT(text_of("NVIDIA GeForce RTX 3090"), Not(HasSubstr("RTX 3070 Ti  ")));
  EXPECT_THAT(text_of("Ampere"), HasSubstr("RTX 3070 Ti             1.0039  -4.80 W"));
  EXPECT_THAT(text_of("TITAN Xp"), HasSubstr("TITAN Xp: gain and offset look swapped"));
  EXPECT_THAT(text_of("NVIDIA H200"), HasSubstr("constant of 13 ms"));
  EXPECT_THAT(text_of("NVIDIA H200"), HasSubstr("Boards tested (Table I): none"));
  EXPECT_THAT(text_of("sim:gh200"), HasSubstr("whole module's"));
}

TEST(CatalogueText, AProfileIsComparedSourceBySource) {
  const std::string text = catalogue_text(sample_catalogue());
  EXPECT_THAT(text, HasSubstr("power.usage: agrees with code 1"));
  EXPECT_THAT(text, HasSubstr("power.instant: differs from code 1"));
  EXPECT_THAT(text, HasSubstr("as found before: A100-PCIE-40GB (spreadsheet)"));
  EXPECT_THAT(text, HasSubstr("power.average: differs from code 8"));
  EXPECT_THAT(text, HasSubstr("power.usage: too little was measured"));
  EXPECT_THAT(text, HasSubstr("energy.counter: nothing is published"));
  EXPECT_THAT(text,
              ContainsRegex("window \\(W \\+ 2C\\) +26.00 ms ± 0.78 ms +25.0 ms ± 7.5 ms +agrees"));
}

TEST(CatalogueText, NamesOfAProfileCannotDriveTheTerminal) {
  CatalogueView view = sample_catalogue();
  view.profile->device.name = "evil\x1b]0;title\x07";
  EXPECT_THAT(catalogue_text(view), Not(HasSubstr("\x1b")));
}

TEST(CatalogueView, OfAnUnknownNameIsNothing) {
  EXPECT_FALSE(catalogue_view("NVIDIA B200"));
  EXPECT_FALSE(catalogue_view(""));
  EXPECT_EQ(catalogue_view("Kepler")->families.size(), 2U);
  EXPECT_EQ(catalogue_view("A100")->product->model, "A100");
}

TEST(CatalogueJson, HoldsFigure14) {
  const json document = json::parse(catalogue_json(whole_catalogue()));
  EXPECT_EQ(document["schema"], "truewatt.catalogue/1");
  EXPECT_TRUE(document["query"].is_null());
  EXPECT_TRUE(document["profile"].is_null());
  ASSERT_EQ(document["families"].size(), 14U);
  const json& turing = document["families"][5];
  EXPECT_EQ(turing["family"], "turing");
  EXPECT_EQ(turing["entries"][4]["drivers"], "post-530");
  EXPECT_EQ(turing["entries"][4]["source"], "power.instant");
  EXPECT_EQ(turing["entries"][4]["code"], "2");
  EXPECT_EQ(turing["entries"][4]["averaging_window_s"], 0.1);
  EXPECT_TRUE(turing["entries"][3]["averaging_window_s"].is_null()) << "not supported";
  EXPECT_EQ(turing["findings"][0]["averaging_window_s"]["lower"], 0.02);
  EXPECT_EQ(turing["tested"].size(), 5U);
  EXPECT_EQ(turing["metered"].size(), 2U);
  EXPECT_EQ(document["spread"]["excluded"], json{"TITAN Xp"});
}

TEST(CatalogueJson, HoldsTheComparison) {
  const json profile = json::parse(catalogue_json(sample_catalogue()))["profile"];
  EXPECT_EQ(profile["family"], "ga100");
  ASSERT_EQ(profile["sources"].size(), 5U);
  EXPECT_EQ(profile["sources"][0]["agrees"], true);
  EXPECT_EQ(profile["sources"][0]["code"], "1");
  EXPECT_EQ(profile["sources"][0]["quantities"][1]["measured"]["value"], 0.026);
  EXPECT_EQ(profile["sources"][1]["agrees"], false);
  EXPECT_TRUE(profile["sources"][3]["agrees"].is_null());
  EXPECT_TRUE(profile["sources"][4]["against"].is_null());
}

}  // namespace
}  // namespace truewatt::report
