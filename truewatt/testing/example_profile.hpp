#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "truewatt/model/calibration.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt {

inline constexpr SourceId kProfiledSource{SourceKind::power_instant, Scope::gpu};
inline constexpr SourceId kCalibratedSource{SourceKind::energy_counter, Scope::module};

/// Every key of a profile, with numbers that are hard to keep and a code that is not known.
inline Profile example_profile() {
  Profile profile;
  profile.device = {0, "NVIDIA \"H200\" grün", "GPU-1/2", "00000000:1B:00.0", "580.65"};
  profile.created = "2026-11-21T02:57:37.123Z";
  profile.duration_s = 1.0 / 3.0;
  profile.recommended_source = kCalibratedSource;
  SourceProfile full;
  full.source = kCalibratedSource;
  full.update_period_s = Interval{0.1, 0.0999, 0.1001, 0.95};
  full.averaging_window_s = Interval{0.025, 0.02, 0.03, 0.9};
  full.time_constant_s = Interval{5e-324, -0.0, 1.7976931348623157e308, 0.95};
  full.delay_s = Interval{-0.001, -0.002, 0.1 + 0.2, 0.95};
  full.rise_time_s = Interval{0, 0, 0, 0.5};
  full.fitted = FittedModel{.averaging_window_s = {0.025, 0.02, 0.03, 0.95},
                            .time_constant_s = {0.01, 0.0, 0.02, 0.95},
                            .age_s = {0.04, 0.03, 0.05, 0.95},
                            .jitter_s = 0.00025,
                            .board = {{{{0.6, 0.5, 0.7, 0.95}, {0.02, 0.01, 0.03, 0.95}},
                                       {{-0.1, -0.2, 0.0, 0.95}, {0.2, 0.1, 0.3, 0.95}}}}};
  full.response = ResponseClass::exponential;
  full.duty = 0.25;
  full.quantum = 0.001;
  full.gain = Interval{0.95, 0.94, 0.96, 0.95};
  full.offset_w = Interval{-3, -4, -2, 0.95};
  full.catalogue = CatalogueMatch{"1", false};
  full.scopes = ScopeFinding{.cpu_response_w = Interval{220, 219, 221, 0.95},
                             .gpu_response_w = Interval{510, 508, 513, 0.95},
                             .alias_of = kProfiledSource};
  profile.steadiness =
      Steadiness{.warm_up_s = 7.5,
                 .source = kProfiledSource,
                 .idle_drift_w_per_s = Interval{0.01, -0.01, 0.03, 0.95},
                 .temperature_end_c = 61.0,
                 .reasons = {SteadinessReason::not_steady, SteadinessReason::temperature_unknown}};
  full.verdict = SourceVerdict::part_time;
  full.reasons = {ProfileReason::uncalibrated_gain,
                  Coded<ProfileReason>::read("odd \\ \"reason\"\n", parse_profile_reason)};
  profile.sources = {full, SourceProfile{.source = kProfiledSource}};
  SourceProfile host{.source = {SourceKind::power_average, Scope::memory}, .duty = 0.5};
  profile.host = {{{0, "Grace socket 0 (hwmon)", "HOST-grace-0", "", "power_meter"}, {host}}};
  return profile;
}

inline Calibration example_calibration() {
  Calibration calibration;
  calibration.device = example_profile().device;
  calibration.source = kCalibratedSource;
  calibration.gain = {0.9512, 0.95, 0.9525, 0.95};
  calibration.offset_w = {-1.5, -2, -1, 0.95};
  calibration.r_squared = 0.99999999999999989;
  calibration.meter = "PMD2";
  calibration.created = "2026-11-21T02:57:37.123Z";
  calibration.levels = {{60.1, 64.6}, {251.0, 265.3}};
  calibration.terms = {{"scatter", 'A', 0.001, 0.2}, {"meter_scale", 'B', 0.006, 0.0}};
  calibration.reasons = {CalibrationReason::no_repetitions,
                         Coded<CalibrationReason>::read("dreaming", parse_calibration_reason)};
  return calibration;
}

inline void expect_equal(const std::optional<Interval>& a, const std::optional<Interval>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->value, b->value);
  EXPECT_EQ(a->lower, b->lower);
  EXPECT_EQ(a->upper, b->upper);
  EXPECT_EQ(a->level, b->level);
}

inline void expect_equal(const SourceProfile& a, const SourceProfile& b) {
  EXPECT_EQ(a.source, b.source);
  expect_equal(a.update_period_s, b.update_period_s);
  expect_equal(a.averaging_window_s, b.averaging_window_s);
  expect_equal(a.time_constant_s, b.time_constant_s);
  expect_equal(a.delay_s, b.delay_s);
  expect_equal(a.rise_time_s, b.rise_time_s);
  ASSERT_EQ(a.fitted.has_value(), b.fitted.has_value());
  if (a.fitted) {
    expect_equal(a.fitted->age_s, b.fitted->age_s);
    EXPECT_EQ(a.fitted->jitter_s, b.fitted->jitter_s);
    ASSERT_EQ(a.fitted->board.has_value(), b.fitted->board.has_value());
    ASSERT_EQ(a.fitted->board->size(), b.fitted->board->size());
    for (std::size_t i = 0; i < a.fitted->board->size(); ++i) {
      expect_equal((*a.fitted->board)[i].share, (*b.fitted->board)[i].share);
      expect_equal((*a.fitted->board)[i].time_constant_s, (*b.fitted->board)[i].time_constant_s);
    }
  }
  EXPECT_EQ(a.response, b.response);
  EXPECT_EQ(a.duty, b.duty);
  EXPECT_EQ(a.quantum, b.quantum);
  expect_equal(a.gain, b.gain);
  expect_equal(a.offset_w, b.offset_w);
  EXPECT_EQ(a.catalogue, b.catalogue);
  ASSERT_EQ(a.scopes.has_value(), b.scopes.has_value());
  if (a.scopes) {
    expect_equal(a.scopes->cpu_response_w, b.scopes->cpu_response_w);
    expect_equal(a.scopes->gpu_response_w, b.scopes->gpu_response_w);
    expect_equal(a.scopes->excess_w, b.scopes->excess_w);
    EXPECT_EQ(a.scopes->alias_of, b.scopes->alias_of);
  }
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.reasons, b.reasons);
}

/// `text` with its one occurrence of `from` replaced.
inline std::string with_replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace truewatt
