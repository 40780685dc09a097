#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "truewatt/energy/former/fluctuation.hpp"

namespace truewatt::energy {

/// A part of what a reading sums of the power's random part: at `time`, so much of its value and so
/// much of its integral behind the lag (docs/method.md, eq. 14b).
struct Look {
  double time = 0.0;      ///< s
  double value = 0.0;     ///< 1
  double integral = 0.0;  ///< 1/s; of a counter 1
};

/// Readings of one source are sums of looks through one lag. A reading's own looks come first in
/// time order; it is complete at the last of them. Energy counters add up: their readings keep all
/// looks before.
struct ObservedSource {
  double time_constant_s = 0.0;  ///< >= 0
  bool adds_up = false;
};

/// One reading: value = columns * coefficients + looks at the random part + noise.
struct ObservedReading {
  std::size_t source = 0;
  std::vector<Look> looks;  ///< at least one, in order of time
  double value = 0.0;       ///< W; J of a counter
  double variance = 0.0;    ///< of the noise, > 0
};

/// Power as a linear combination of known signals and a random part, and the readings of it.
struct KrigingProblem {
  std::vector<ObservedSource> sources;
  std::vector<ObservedReading> readings;  ///< of each source in order of their last looks
  std::vector<Fluctuation> fluctuations;
  Eigen::MatrixXd columns;   ///< readings x coefficients
  Eigen::VectorXd prior;     ///< mean of each coefficient before any reading
  Eigen::VectorXd prior_sd;  ///< its standard deviation
  Eigen::VectorXd energy;    ///< joules in the window per unit of each coefficient
  double begin = 0.0;        ///< s, of the window
  double end = 0.0;          ///< s
};

/// What the readings say of it.
struct KrigingSolution {
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd covariance;   ///< of the coefficients
  double energy_j = 0.0;        ///< of the window
  double variance = 0.0;        ///< of energy_j, J^2
  double log_likelihood = 0.0;  ///< of the readings
  double chi_squared = 0.0;     ///< of the innovations, expected: number of readings less what is
                                ///< fitted
  std::vector<double> innovations;  ///< by reading, standardized: what it says beyond all before
  // With `decompose`:
  std::vector<double> weights;  ///< by reading, J per unit: energy_j = sum weight * value + prior
  Eigen::VectorXd coefficient_shares;  ///< of the variance, J^2: each coefficient's prior
  double noise_share = 0.0;            ///< ... the readings' noise
  double fluctuation_share = 0.0;      ///< ... the random part that nobody looked at
};

/// The sum of the fluctuations at one time, as all readings have it: linear in the coefficients.
struct SmoothedSum {
  Eigen::VectorXd by_coefficient;  ///< taken from it for each of them, W per unit
  double value = 0.0;              ///< with all coefficients zero, W
  double variance = 0.0;           ///< were they known, W^2
};

/// A solution, and the sum of the fluctuations at the times asked for.
struct KrigingProfile {
  KrigingSolution solution;
  std::vector<SmoothedSum> at;
};

/// Universal kriging of the energy: generalized least squares for the coefficients and the best
/// linear prediction of the random part, exact, by a Kalman filter over the readings and the
/// columns in order of time (de Jong, Ann. Statist. 19 (1991) 1073; docs/method.md, section 5, eq.
/// 14a-14e): linear in readings, and constant in memory but for `decompose`, which splits the
/// variance by an adjoint pass. Pure; any thread.
KrigingSolution solve(const KrigingProblem& problem, bool decompose = false);

/// The same, and the fluctuations at `times` by a pass backward (eq. 14h). Its memory is linear in
/// readings and times. Pure; any thread.
KrigingProfile smooth(const KrigingProblem& problem, std::span<const double> times);

}  // namespace truewatt::energy
