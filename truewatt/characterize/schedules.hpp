#pragma once

#include <random>
#include <vector>

#include "truewatt/load/load.hpp"

namespace truewatt::characterize {

/// The loads of a characterization (docs/method.md, section 9). Steps tell amplitudes, long
/// windows and slow lags; random work tells short windows, because no window and no lag answers
/// it like another one, while square waves of one period do.

/// A number drawn the same way by every standard library.
double uniform(std::mt19937_64& rng, double low, double high);

/// Two steps of 1.3 to 2 s with 2 s of idle after each: finds every source's update period, and
/// how slow it is.
load::Schedule scout_schedule(std::mt19937_64& rng);

/// Steps of 0.7 to 1 s at a quarter, a half and three quarters of full work, in random order, with
/// as much idle after each: does the sensor answer them as it answers full work?
load::Schedule level_schedule(std::mt19937_64& rng);

/// Full work for `duration` and a pause of 0.2 to 0.4 s, which are part of it: where it is short,
/// half of it.
load::Schedule warm_up_schedule(Seconds duration, std::mt19937_64& rng);

/// How long work and idle last, in turns.
struct RandomWork {
  double shortest_s = 0.004;
  double longest_s = 0.03;   ///< log-uniform between the two, ...
  double long_share = 0.12;  ///< ... but for this share, which lasts 0.15 to 1 s
};

/// Random work that ends after `duration`, with `steps` steps as above at random places.
load::Schedule random_schedule(const RandomWork& kind, Seconds duration, int steps,
                               std::mt19937_64& rng);

/// Kinds of random work worth considering for a source with this update period whose readings
/// cover about `covered_s` of the past (window and lag).
std::vector<RandomWork> kinds_for(double update_period_s, double covered_s);

}  // namespace truewatt::characterize
