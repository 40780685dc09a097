#include "truewatt/study/analyze.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace truewatt::study {
namespace {

const std::filesystem::path kData = TRUEWATT_TEST_DATA;

const AnalyzedSource& source_of(const Analysis& analysis, SourceKind kind) {
  for (const AnalyzedSource& source : analysis.sources) {
    if (source.source.kind == kind) return source;
  }
  throw std::runtime_error("source is missing");
}

struct Plateau {
  const char* folder;
  SourceKind source;
  double difference_percent;
};

TEST(AnalyzeRecorded, PlateauDifferencesAreThoseOfThePaper) {
  for (const Plateau& expected : {Plateau{"step_rtx3090", SourceKind::power_instant, -5.0},
                                  Plateau{"step_a100", SourceKind::power_instant, -5.3},
                                  Plateau{"step_k40m", SourceKind::power_usage, 2.8}}) {
    const auto analyzed = analyze(kData / "sc24" / expected.folder, {});
    ASSERT_TRUE(analyzed) << expected.folder << ": " << analyzed.error().message;
    const AnalyzedSource& source = source_of(analyzed->analysis, expected.source);
    ASSERT_EQ(source.windows.size(), 1U) << expected.folder;
    const PlateauMeans& plateau = source.windows[0].plateau;
    ASSERT_TRUE(plateau.sensor && plateau.meter) << expected.folder;
    EXPECT_NEAR(100 * (*plateau.sensor / *plateau.meter - 1), expected.difference_percent, 0.3)
        << expected.folder;
    EXPECT_TRUE(source.windows[0].naive_j.has_value());
    EXPECT_TRUE(source.windows[0].meter_j.has_value());
  }
}

TEST(AnalyzeRecorded, StepIntervalsHoldTheMetersJoules) {
  for (const char* folder : {"step_rtx3090", "step_a100", "step_k40m"}) {
    const auto analyzed = analyze(kData / "sc24" / folder, {});
    ASSERT_TRUE(analyzed);
    for (const AnalyzedSource& source : analyzed->analysis.sources) {
      const AnalyzedWindow& window = source.windows.at(0);
      if (!window.energy_j) continue;
      EXPECT_LE(window.energy_j->lower, *window.meter_j) << folder << to_string(source.source);
      EXPECT_GE(window.energy_j->upper, *window.meter_j) << folder << to_string(source.source);
    }
  }
}

TEST(AnalyzeRecorded, H200StepCounterAndBufferAgreeWithinOnePercent) {
  for (const char* file : {"single_1.csv", "step_live.db"}) {
    const auto analyzed = analyze(kData / "h200" / file, {});
    ASSERT_TRUE(analyzed) << analyzed.error().message;
    const auto& counter = source_of(analyzed->analysis, SourceKind::energy_counter);
    const auto& buffer = source_of(analyzed->analysis, SourceKind::power_samples);
    ASSERT_TRUE(counter.windows.at(0).energy_j && buffer.windows.at(0).energy_j) << file;
    EXPECT_NEAR(counter.windows[0].energy_j->value / buffer.windows[0].energy_j->value, 1.0, 0.01)
        << file;
  }
}

TEST(AnalyzeRecorded, TortureLogKeepsItsGoodRows) {
  const auto analyzed = analyze(kData / "sc24" / "torture_nvidia_smi_log.csv", {});
  ASSERT_TRUE(analyzed) << analyzed.error().message;
  EXPECT_GT(analyzed->analysis.rows, 10000U);
  EXPECT_EQ(analyzed->analysis.bad_rows, 0U);
}

TEST(Analyze, AMissingPathIsAnError) {
  const auto analyzed = analyze("/nonexistent/log.csv", {});
  ASSERT_FALSE(analyzed);
  EXPECT_EQ(analyzed.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace truewatt::study
