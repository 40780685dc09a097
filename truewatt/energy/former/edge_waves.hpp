#pragma once

#include <Eigen/Core>
#include <vector>

#include "truewatt/energy/former/power_parts.hpp"
#include "truewatt/energy/former/source_view.hpp"

// What sources that are made of inner readings make of an edge of the work between two of them: an
// error that is periodic in when the edge is (docs/method.md, eq. 14c). Pure functions.
namespace truewatt::energy {

/// One harmonic of that error.
struct Wave {
  double turn = 0.0;  ///< 2 pi over its period, 1/s
  bool sine = false;  ///< a sine, else a cosine
  double sd = 0.0;    ///< s, of its height before any reading
};

/// A step of the power.
struct Edge {
  double time = 0.0;  ///< s
  double step_w = 0.0;
};

/// The harmonics that count, of every period that the source may have inside.
std::vector<Wave> waves_of(const SourceView& view);

/// Begins and ends of the work in order of time, as high as the parts are with these heights;
/// without heights of `step_w`.
std::vector<Edge> edges_of(const WorkTimes& work, const std::vector<PowerPart>& parts,
                           const Eigen::VectorXd& heights, double step_w);

/// What the edges so far have cost a counter at each tick, or cost a reading behind its lag, per
/// second of the wave's height, W: where between two inner readings an edge lies is known but for
/// the phase of the readings. `from`: s, before all of it.
Eigen::VectorXd edges_seen(const SourceView& view, const Wave& wave, const std::vector<Edge>& edges,
                           double from);

}  // namespace truewatt::energy
