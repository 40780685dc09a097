#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/model/profile.hpp"

/// Values of the figures that a characterization is drawn with (Yang 2024, Figs 6, 7, 9, 11, 12),
/// from one device's readings, and of those of an energy estimate. Times in seconds, powers in
/// watts.
namespace truewatt::characterize {

/// Counts of intervals between publications in equal bins (Fig. 6).
struct IntervalHistogram {
  double first_s = 0.0;  ///< where the first bin begins
  double bin_s = 0.0;
  std::vector<std::size_t> counts;
  std::size_t outside = 0;  ///< intervals in no bin
  double median_s = 0.0;    ///< of all intervals: the paper's update period
};

/// Readings on the time since a step of the load began (Fig. 7).
struct StepReadings {
  bool fitted = true;  ///< false: the context had just begun, nothing was fitted to these
  std::vector<double> since_s;
  std::vector<double> power_w;
};

struct StepFigure {
  std::vector<StepReadings> steps;
  StepReadings model;  ///< what the fitted sensor would show at any time after a step; may be empty
};

/// A reading and what the fitted model has at its time (Figs 9, 11).
struct ModelledReading {
  double t_s = 0.0;
  double reading_w = 0.0;
  double model_w = 0.0;
};

/// A stretch of time in which the load worked.
struct LoadStretch {
  double begin_s = 0.0;
  double end_s = 0.0;
};

struct Reconstruction {
  std::vector<ModelledReading> readings;  ///< in order
  std::vector<LoadStretch> load;          ///< from the first to the last of them
  std::size_t fitted = 0;                 ///< readings that were fitted; those drawn come first
  double rms_w = 0.0;                     ///< root mean square of all fitted readings' residuals
  LoadStretch view;                       ///< what to look at first
};

/// Residuals left with one averaging window and everything else fitted anew (Fig. 12).
struct LossPoint {
  double window_s = 0.0;
  double rms_w = 0.0;
};

struct LossCurve {
  std::string name;  ///< "window alone", "window and filter", ...
  std::vector<LossPoint> points;
};

/// One explanation of the readings held against the others.
struct StructureFit {
  std::string name;
  bool chosen = false;
  double rms_w = 0.0;
  double bic_above = 0.0;  ///< of the best one's Bayesian information criterion
};

/// Everything to draw of one source. Absent: the readings do not give it.
struct SourceFigures {
  SourceId source;
  std::optional<IntervalHistogram> intervals;
  std::optional<StepFigure> steps;
  std::optional<Reconstruction> reconstruction;
  std::optional<Interval> window_s;  ///< as fitted, resolved or not
  std::vector<LossCurve> losses;     ///< that of the fitted structure first
  std::vector<StructureFit> structures;
};

struct ProfileFigures {
  Profile profile;
  std::vector<SourceFigures> sources;
};

}  // namespace truewatt::characterize
