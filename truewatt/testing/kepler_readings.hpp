#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::replication::burtscher {

/// For tests: a board like Burtscher 2014's K20c behind a capacitor.
struct Kepler {
  double constant = 0.84;  ///< s; 0: none
  double period = 0.015;
  double idle_w = 25.0;
  double load_w = 158.0;
  double active_idle_w = 52.5;
  double hold = 3.5;
  double stair = 1.0;
  double noise_w = 0.0;      ///< of a reading
  double fluctuation_w = 0;  ///< of the power, correlated over 10 ms
  double length = 28.0;
  identification::Work load{10.0, 15.346};

  /// Of the board at t: 52.5 W for 3.5 s, then four equal steps, one a second.
  double power(double t) const {
    if (t < load.begin) return idle_w;
    if (t < load.end) return load_w;
    const double since = t - load.end - hold;
    const double stairs = since < 0 ? 0.0 : std::min(std::floor(since / stair) + 1.0, 4.0);
    return active_idle_w + (idle_w - active_idle_w) * stairs / 4;
  }
};

/// Its readings: the lag's differential equation solved for steps of at most 1 ms of constant
/// power.
inline std::vector<ticks::Tick> readings_of(const Kepler& board, std::mt19937& random) {
  constexpr double kStep = 0.001;
  std::normal_distribution<double> normal;
  std::vector<ticks::Tick> readings;
  double shown = board.idle_w;
  double fluctuation = 0.0;
  double next = board.period / 3;
  const double kept = std::exp(-kStep / 0.010);
  for (int i = 0; i * kStep < board.length; ++i) {
    const double t = i * kStep;
    fluctuation =
        kept * fluctuation + std::sqrt(1 - kept * kept) * board.fluctuation_w * normal(random);
    const double power = board.power(t) + fluctuation;
    if (next < t + kStep) {
      const double decay = board.constant > 0 ? std::exp(-(next - t) / board.constant) : 0.0;
      readings.push_back(
          {next, 0.0, power + (shown - power) * decay + board.noise_w * normal(random)});
      next += board.period;
    }
    shown =
        power + (shown - power) * (board.constant > 0 ? std::exp(-kStep / board.constant) : 0.0);
  }
  return readings;
}

inline std::vector<ticks::Tick> readings_of(const Kepler& board) {
  std::mt19937 random(1);
  return readings_of(board, random);
}

}  // namespace truewatt::replication::burtscher
