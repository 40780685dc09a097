#pragma once

#include "truewatt/replication/burtscher/burtscher_capacitor.hpp"

namespace truewatt::replication::burtscher {

/// Standard uncertainty of the constant of a curve that was fitted to `readings`, s: the larger of
/// two. What neighbours share of the power's fluctuations is summed with Bartlett's weights (Newey,
/// West 1987, Econometrica 55:703) over 1.5 C, and widened for the few stretches of 4 C that there
/// are: with that 95 % intervals hold C on 95.6 % of 1000 devices of burtscher_capacitor_test.cpp.
/// Where few readings hold the curve it goes through some of them: there it is their robust scatter
/// and the times at which they were seen, as of independent readings, widened likewise. Both times
/// pi/2, the variance of least absolute differences over that of least squares. No bias is in it.
/// Not finite where the readings do not hold the curve.
double uncertainty_of_constant(Readings readings, const Capacitor& fit);

}  // namespace truewatt::replication::burtscher
