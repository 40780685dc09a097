// Known work is all that ran since somebody looked; what ran before, nobody knows.

#include "truewatt/energy/estimate/known_work.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

HostTime recorded_at(double seconds) {
  return program_begin() + to_nanoseconds(Seconds(10.0 + seconds));
}

/// tests/data/h100/work_before_capture.csv.
Recording recorded() {
  std::ifstream file(TRUEWATT_TEST_DATA "/h100/work_before_capture.csv");
  Recording recording;
  std::string line;
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    std::vector<std::string> of;
    for (std::string field; std::getline(fields, field, ',');) of.push_back(field);
    if (of.front() == "K") {
      recording.activity.push_back(
          {recorded_at(std::stod(of[1])),
           recorded_at(std::stod(of[2])),
           {.what = "kernel " + std::to_string(recording.activity.size())}});
    } else if (of.front() == "S") {
      const SourceId source = *parse_source(of[1]);
      if (recording.traces.empty() || recording.traces.back().source != source) {
        recording.traces.push_back({source, recorded_at(std::stod(of[2])), {}, {}, {}, 0, {}});
      }
      Trace& trace = recording.traces.back();
      trace.samples.push_back(
          {recorded_at(std::stod(of[2])), recorded_at(std::stod(of[3])), {}, std::stod(of[4]), {}});
      trace.end = trace.samples.back().seen;
    }
  }
  return recording;
}

TEST(KnownWork, WhatRanBeforeTheCaptureIsNotTakenForASlowBoard) {
  const Recording recording = recorded();
  ASSERT_EQ(recording.activity.size(), 38U);
  ASSERT_EQ(recording.traces.size(), 2U);
  const Profile profile = profile_of(sensors_of("ring"));
  const EnergyEstimator estimator(recording, {.profile = &profile}, {}, {});
  // The ring reads 118.0 to 118.7 W there, and 338 W from 0.1 s on.
  for (const auto& [begin, end, watts] :
       {std::tuple{-1.1, -0.6, 118.3}, {-0.6, -0.02, 118.3}, {0.12, 0.28, 338.4}}) {
    const auto estimate = estimator.estimate({recorded_at(begin), recorded_at(end), ""});
    ASSERT_TRUE(estimate.energy);
    EXPECT_NEAR(estimate.energy->interval.value / (end - begin), watts, 1.0) << begin;
  }
}

TEST(KnownWork, CountsFromTheFirstLookAtTheClocksWhereOnlyARingWasRead) {
  Recording recording = recorded();
  std::erase_if(recording.traces, [](const Trace& trace) { return !comes_in_ring(trace.source); });
  ASSERT_EQ(recording.traces.size(), 1U);
  recording.clock_pairs = {{.host = recorded_at(-1.4)}, {.host = recorded_at(0.6)}};
  CourseHints hints;
  add_known_work(hints, recording, recorded_at(0.0));
  EXPECT_NEAR(hints.work_from, -1.42, 1e-6);
}

TEST(KnownWork, CountsFromTheBeginOfTheCapture) {
  CourseHints hints;
  add_known_work(hints, recorded(), recorded_at(0.0));
  EXPECT_NEAR(hints.work_from, -1.425, 0.01);
  EXPECT_EQ(hints.work.size(), 38U);
  CourseHints none;
  add_known_work(none, Recording{}, recorded_at(0.0));
  EXPECT_TRUE(none.work.empty());
}

}  // namespace
}  // namespace truewatt::energy
