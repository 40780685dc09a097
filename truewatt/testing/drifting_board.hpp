#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "truewatt/identification/artefacts/power_drift.hpp"
#include "truewatt/testing/random_work.hpp"

namespace truewatt::identification {

/// For tests: a point-sampling sensor of a board that draws 60 W, 260 W while it works, and what
/// `add` adds.
struct DriftingBoard {
  static constexpr double kPeriod = 0.02;  // s
  static constexpr double kStep = 200.0;   // W
  static constexpr double kIdle = 60.0;

  explicit DriftingBoard(double length, double noise = 0.0, unsigned seed = 3) {
    std::mt19937 rng(seed);
    work = random_work(length, 0.05, 0.4, rng);
    for (int k = 10; kPeriod * k < length; ++k) readings.push_back({kPeriod * k, 1e-5, 0.0});
    fit.parameters = {std::log(0.001), 0.0, 0.0, 0.0, 0.0};
    fit.idle_w = kIdle;
    fit.amplitude_w = kStep;
    fit.noise_sd_w = noise > 0 ? noise : 0.01;
    std::normal_distribution<double> error(0.0, 1.0);
    const auto values = readings_of(fit, readings, work);
    for (std::size_t k = 0; k < readings.size(); ++k) {
      readings[k].value = values[k] + noise * error(rng);
    }
  }
  /// Adds power that depends on the time and on whether there was work.
  template <class Function>
  void add(Function drift) {
    const auto unit = unit_response(data(), fit);
    for (std::size_t k = 0; k < readings.size(); ++k) {
      readings[k].value += drift(readings[k].time, unit[k]);
    }
  }
  FitData data() const { return {readings, work}; }
  double middle() const { return (readings.front().time + readings.back().time) / 2; }

  std::vector<Work> work;
  std::vector<ticks::Tick> readings;
  JointFit fit;
};

}  // namespace truewatt::identification
