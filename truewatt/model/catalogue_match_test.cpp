#include "truewatt/model/catalogue_match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/model/catalogue_profile.hpp"
#include "truewatt/model/device_description.hpp"

namespace truewatt::catalogue {
namespace {

const SourceId kUsageSource{SourceKind::power_usage, Scope::gpu};
const SourceId kInstantSource{SourceKind::power_instant, Scope::gpu};
const SourceId kCounterSource{SourceKind::energy_counter, Scope::gpu};

/// Half a percent of the value, as a good characterization has it.
Interval narrow(double value) { return interval95({value, 0.0025 * value}); }

SourceProfile boxcar(double period_s, double window_s) {
  SourceProfile profile{.source = kInstantSource};
  profile.update_period_s = narrow(period_s);
  profile.averaging_window_s = narrow(window_s);
  profile.response = ResponseClass::instant;
  return profile;
}

SourceProfile filter(double period_s, double constant_s) {
  SourceProfile profile{.source = kInstantSource};
  profile.update_period_s = narrow(period_s);
  profile.averaging_window_s = Interval{0.0, 0.0, 0.002, 0.95};
  profile.time_constant_s = narrow(constant_s);
  profile.response = ResponseClass::exponential;
  return profile;
}

std::string best(const SourceProfile& profile) {
  return compare(profile, std::nullopt).best_code.value_or("none");
}

TEST(CatalogueMatch, FindsTheCodeThatFits) {
  EXPECT_EQ(best(boxcar(0.1, 0.025)), "1");
  EXPECT_EQ(best(boxcar(0.101, 0.018)), "1");
  EXPECT_EQ(best(boxcar(0.1, 0.1)), "2");
  EXPECT_EQ(best(boxcar(0.1, 1.0)), "3");
  EXPECT_EQ(best(boxcar(0.02, 0.01)), "4");
  EXPECT_EQ(best(filter(0.1, 0.013)), "1") << "2 x 13 ms is its window";
  EXPECT_EQ(best(filter(0.1, 0.157)), "5") << "rises over several updates";
  EXPECT_EQ(best(filter(0.015, 0.052)), "6");
  EXPECT_EQ(best(filter(0.015, 0.84)), "6");
}

TEST(CatalogueMatch, FindsNoCodeWhereNoneIsNear) {
  EXPECT_EQ(best(boxcar(0.031, 0.014)), "none") << "the spreadsheet's M40";
  EXPECT_EQ(best(boxcar(0.02, 0.026)), "none");
  EXPECT_EQ(best(boxcar(0.1, 0.4)), "none");
  EXPECT_EQ(best(boxcar(0.001, 0.0)), "none");
  EXPECT_EQ(best(boxcar(-1.0, -1.0)), "none");
  EXPECT_EQ(best(SourceProfile{.source = kInstantSource}), "none");
  SourceProfile without_window = boxcar(0.1, 0.1);
  without_window.averaging_window_s.reset();
  EXPECT_EQ(best(without_window), "none") << "codes 1, 2 and 3 update every 100 ms";
}

TEST(CatalogueMatch, TakesARampForItsWindow) {
  SourceProfile ramp{.source = kInstantSource};
  ramp.update_period_s = narrow(0.1);
  ramp.rise_time_s = narrow(0.9);  // 0.8 of the window
  ramp.response = ResponseClass::ramp;
  const SourceComparison comparison = compare(ramp, Family::ada, {.version = "535.54.03"});
  EXPECT_EQ(comparison.best_code, "3");
  EXPECT_EQ(comparison.agrees, false) << "instant is code 2 on Ada";
  ASSERT_EQ(comparison.quantities.size(), 2U);
  EXPECT_NEAR(comparison.quantities[1].measured.value, 1.125, 1e-9);
}

TEST(CatalogueMatch, TakesAnUnfittedExponentialForItsRise) {
  SourceProfile titan{.source = kUsageSource};
  titan.update_period_s = narrow(0.1);
  titan.rise_time_s = narrow(0.345);
  titan.response = ResponseClass::exponential;
  EXPECT_EQ(best(titan), "5");
  EXPECT_EQ(compare(titan, Family::maxwell_2).agrees, true);
}

TEST(CatalogueMatch, AgreesWithinFivePercentOfThePeriodAndThirtyOfTheWindow) {
  const auto agrees = [](const SourceProfile& profile) {
    return compare(profile, Family::ga100).agrees;
  };
  EXPECT_EQ(agrees(boxcar(0.1, 0.025)), true);
  EXPECT_EQ(agrees(filter(0.10125, 0.013)), true) << "the recorded A100";
  EXPECT_EQ(agrees(boxcar(0.1, 0.0322)), true);
  EXPECT_EQ(agrees(boxcar(0.1, 0.034)), false);
  EXPECT_EQ(agrees(boxcar(0.1, 0.017)), false);
  EXPECT_EQ(agrees(boxcar(0.107, 0.025)), false);
  SourceProfile wide = boxcar(0.107, 0.025);
  wide.update_period_s = Interval{0.107, 0.1, 0.12, 0.95};
  EXPECT_EQ(agrees(wide), true) << "its interval holds 100 ms";
}

TEST(CatalogueMatch, GivesTheNumbersOfBoth) {
  const SourceComparison comparison = compare(filter(0.101, 0.013), Family::ga100);
  EXPECT_EQ(comparison.response, Response::instant);
  ASSERT_EQ(comparison.quantities.size(), 2U);
  EXPECT_EQ(comparison.quantities[0].name, "update_period_s");
  EXPECT_DOUBLE_EQ(comparison.quantities[0].published.lower, 0.095);
  EXPECT_EQ(comparison.quantities[1].name, "averaging_window_s");
  EXPECT_DOUBLE_EQ(comparison.quantities[1].measured.value, 0.026);
  EXPECT_NEAR(comparison.quantities[1].published.upper, 0.0325, 1e-12);
}

TEST(CatalogueMatch, SaysWhenASpreadsheetRowContradictsTheFigureLikewise) {
  const SourceComparison rtx8000 = compare(boxcar(0.1, 0.02), Family::turing);
  EXPECT_EQ(rtx8000.agrees, false);
  EXPECT_EQ(rtx8000.best_code, "1");
  ASSERT_EQ(rtx8000.also.size(), 1U);
  EXPECT_EQ(rtx8000.also[0].board, "RTX 8000");
  const SourceComparison m40 = compare(boxcar(0.031, 0.014), Family::maxwell_2);
  EXPECT_EQ(m40.agrees, false);
  ASSERT_EQ(m40.also.size(), 1U);
  EXPECT_EQ(m40.also[0].board, "M40");
  EXPECT_TRUE(compare(boxcar(0.1, 0.1), Family::turing).also.empty());
  // Its period is as Fig. 14 has it: that a finding says so too is no contradiction.
  EXPECT_TRUE(compare(boxcar(0.101, 0.012), Family::ga100).also.empty());
}

TEST(CatalogueMatch, WhatTheFigureCallsUnsupportedDiffersIfItAnswers) {
  SourceProfile average = boxcar(0.1, 1.0);
  average.source.kind = SourceKind::power_average;
  const SourceComparison comparison = compare(average, Family::ga100);
  EXPECT_EQ(comparison.agrees, false);
  EXPECT_EQ(comparison.best_code, "3");
  EXPECT_EQ(comparison.response, Response::ramp) << "whatever the profile calls it";
  EXPECT_EQ(comparison.against->behaviour->code, "8");
}

TEST(CatalogueMatch, TooLittleMeasuredIsNeitherAgreementNorTheOpposite) {
  SourceProfile period_only{.source = kInstantSource};
  period_only.update_period_s = narrow(0.1);
  EXPECT_EQ(compare(period_only, Family::ampere).agrees, std::nullopt);
  period_only.update_period_s = narrow(0.02);
  EXPECT_EQ(compare(period_only, Family::ampere).agrees, false);
  EXPECT_EQ(compare(SourceProfile{.source = kInstantSource}, Family::ampere).agrees, std::nullopt);
}

TEST(CatalogueMatch, NothingIsPublishedAboutCounters) {
  SourceProfile counter = boxcar(0.1, 0.1);
  counter.source = kCounterSource;
  const SourceComparison comparison = compare(counter, Family::ampere);
  EXPECT_TRUE(comparison.published.empty());
  EXPECT_EQ(comparison.best_code, std::nullopt);
  EXPECT_EQ(match_of(comparison), std::nullopt);
}

TEST(CatalogueMatch, OfAnUnknownFamilyIsTheBestCodeAlone) {
  Profile profile{.device = {.name = "NVIDIA B200"}, .sources = {boxcar(0.1, 0.025)}};
  const auto comparisons = compare(profile);
  ASSERT_EQ(comparisons.size(), 1U);
  EXPECT_EQ(match_of(comparisons[0]), (CatalogueMatch{"1", std::nullopt}));
  EXPECT_EQ(match_of(compare(profile, Family::ga100)[0]), (CatalogueMatch{"1", true}));
}

TEST(CatalogueMatch, ComparesWithTheDriversThatTheProfileAllows) {
  Profile profile{.device = {.name = "NVIDIA GeForce RTX 3090", .driver = "525.85.05"}};
  profile.sources = {boxcar(0.1, 1.0)};
  profile.sources[0].source = kUsageSource;
  EXPECT_EQ(compare(profile)[0].agrees, true);
  profile.device.driver = "530.41.03";
  EXPECT_EQ(compare(profile)[0].agrees, false);
  profile.device.driver = "470.57.02";  // before 530 or 530: one of them agrees
  EXPECT_EQ(compare(profile)[0].agrees, true);
  EXPECT_EQ(compare(profile)[0].published.size(), 2U);
}

/// What a perfect characterization of a built-in device would find.
Profile true_profile(const std::string& name) {
  Profile profile{.device = {.name = "sim:" + name, .driver = "simulated"}};
  const DeviceDescription truth = builtin_device(name).value();
  for (const SensorDescription& sensor : truth.sensors) {
    SourceProfile source{.source = sensor.source};
    source.update_period_s =
        narrow(std::max(sensor.model.update_period, sensor.client_cache).count());
    source.averaging_window_s = narrow(sensor.model.averaging_window.count());
    source.time_constant_s = narrow(sensor.model.time_constant.count());
    profile.sources.push_back(source);
  }
  return profile;
}

TEST(CatalogueMatch, BuiltInDevicesAgreeWithWhatIsPublishedAboutTheirBoards) {
  for (const std::string& name : builtin_device_names()) {
    for (const SourceComparison& comparison : compare(true_profile(name))) {
      if (comparison.published.empty()) continue;
      EXPECT_EQ(comparison.agrees, true) << name << " " << to_string(comparison.source);
      const std::string_view published = comparison.against->behaviour->code;
      if (published.size() == 1) {
        EXPECT_EQ(comparison.best_code, published) << name;
      }
    }
  }
}

TEST(CatalogueMatch, AFallbackProfileAgreesWithItsOwnCatalogue) {
  for (const char* name : {"NVIDIA H100 PCIe", "NVIDIA A30", "Tesla P4", "Tesla K80", "Tesla M60",
                           "Quadro K620", "NVIDIA L40S", "Tesla M2090", "NVIDIA GH200 480GB"}) {
    for (const char* driver : {"510.47.03", "535.54.03"}) {
      const auto profile = fallback_profile({.name = name, .driver = driver});
      if (!profile) continue;
      for (const SourceComparison& comparison : compare(*profile)) {
        EXPECT_NE(comparison.agrees, false) << name << " " << to_string(comparison.source);
      }
    }
  }
}

}  // namespace
}  // namespace truewatt::catalogue
