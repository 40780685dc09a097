#include "truewatt/identification/fit/load_response.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::identification {
namespace {

const std::vector<Work> kWork = {{0.1, 0.15}, {0.2, 0.5}, {0.53, 0.54}};
const ObservationModel kModel{
    .averaging_window = Seconds(0.03), .time_constant = Seconds(0.013), .delay = Seconds(0.004)};

/// Power per unit at `t`, straight from the definition.
double unit_power(Shape shape, double decay, double t) {
  for (const Work& work : kWork) {
    if (t < work.begin || t >= work.end) continue;
    return shape == Shape::settled ? 1.0 : std::exp(-(t - work.begin) / decay);
  }
  return 0.0;
}

/// Warmth is work behind a first-order lag: stretch by stretch, each its own step up and down.
double unit_warmth(double decay, double t) {
  double sum = 0.0;
  for (const Work& work : kWork) {
    if (t >= work.begin) sum += 1.0 - std::exp(-(t - work.begin) / decay);
    if (t >= work.end) sum -= 1.0 - std::exp(-(t - work.end) / decay);
  }
  return sum;
}

/// The reading by stepping the lag and summing the window, 10 us at a time.
double stepped(Shape shape, double decay, double tick) {
  constexpr double kStep = 1e-5;
  const double end = tick - kModel.delay.count();
  const double begin = end - kModel.averaging_window.count();
  double lagged = 0.0;
  double sum = 0.0;
  for (double t = 0.0; t < end; t += kStep) {
    const double power =
        shape == Shape::warmth ? unit_warmth(decay, t) : unit_power(shape, decay, t);
    lagged += (power - lagged) * kStep / kModel.time_constant.count();
    if (t >= begin) sum += lagged * kStep;
  }
  return sum / kModel.averaging_window.count();
}

TEST(LoadResponse, AgreesWithSteppingThroughTheDefinition) {
  const std::vector<double> ticks = {0.12, 0.17, 0.21, 0.3, 0.52, 0.56, 0.7};
  for (const auto& [shape, decay] : {std::pair(Shape::settled, 1.0), std::pair(Shape::decay, 0.05),
                                     std::pair(Shape::warmth, 0.08)}) {
    const auto responses = LoadResponse(kWork, shape, decay).at(ticks, kModel);
    ASSERT_EQ(responses.size(), ticks.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      EXPECT_NEAR(responses[i].reading, stepped(shape, decay, ticks[i]), 2e-3) << ticks[i];
    }
  }
}

TEST(LoadResponse, DerivativesAreThoseOfTheReading) {
  constexpr double kStep = 1e-6;
  ObservationModel wider = kModel;
  wider.averaging_window += Seconds(kStep);
  for (const Shape shape : {Shape::settled, Shape::decay, Shape::warmth}) {
    const LoadResponse response(kWork, shape, 0.05);
    for (const double tick : {0.12, 0.17, 0.3, 0.52, 0.56}) {
      const std::vector<double> ticks = {tick, tick + kStep};
      const auto here = response.at(ticks, kModel);
      const auto there = response.at(ticks, wider);
      EXPECT_NEAR(here[0].by_time, (here[1].reading - here[0].reading) / kStep, 1e-2);
      EXPECT_NEAR(here[0].by_window, (there[0].reading - here[0].reading) / kStep, 1e-2);
    }
  }
}

}  // namespace
}  // namespace truewatt::identification
