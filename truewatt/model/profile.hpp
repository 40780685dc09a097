#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"

namespace truewatt {

/// The published behaviour of a source that a measured one was held against
/// (model/catalogue_match.hpp).
struct CatalogueMatch {
  std::optional<std::string> code;  ///< of Fig. 14, that fits best; absent: none fits
  std::optional<bool> agrees;       ///< with what is published about the device's family
  friend bool operator==(const CatalogueMatch&, const CatalogueMatch&) = default;
};

/// What characterization found out about one source. Times in seconds. Absent: not resolved, with
/// a code in `reasons`.
struct SourceProfile {
  SourceId source;
  std::optional<Interval> update_period_s;
  std::optional<Interval> averaging_window_s;
  std::optional<Interval> time_constant_s;
  std::optional<Interval> delay_s;
  std::optional<Interval> rise_time_s;
  std::string response;  ///< "instant" | "ramp" | "exponential" | "estimated"
  std::optional<double> duty;
  std::optional<double> quantum;
  std::optional<Interval> gain;
  std::optional<Interval> offset_w;
  std::optional<CatalogueMatch> catalogue;  ///< absent: nobody looked it up
  std::string verdict;                      ///< "complete" | "part-time" | "trailing" | "unusable"
  std::vector<std::string> reasons;
};

/// The observation models of a device's sources, as `truewatt characterize` saves them.
struct Profile {
  DeviceIdentity device;
  std::string created;  ///< RFC 3339, UTC
  double duration_s = 0.0;
  std::optional<SourceId> recommended_source;
  std::vector<SourceProfile> sources;
};

/// The profile of `source`, or null.
const SourceProfile* find_source(const Profile& profile, SourceId source);

/// Means of one plateau (or of idle), as the source showed it and as the meter did.
struct CalibrationLevel {
  double sensor_w = 0.0;
  double meter_w = 0.0;
  friend bool operator==(const CalibrationLevel&, const CalibrationLevel&) = default;
};

/// One part of what is not known about a calibration, as standard uncertainties.
struct CalibrationTerm {
  std::string name;  ///< "scatter" | "linearity" | "meter_scale" | "meter_zero"
  char type = 'A';   ///< 'A': from the scatter of readings, 'B': from other knowledge
  double gain = 0.0;
  double offset_w = 0.0;
  friend bool operator==(const CalibrationTerm&, const CalibrationTerm&) = default;
};

/// Gain and offset of one source against a meter: sensor = gain * power + offset.
struct Calibration {
  DeviceIdentity device;
  SourceId source;
  std::string created;  ///< RFC 3339, UTC; "" when it is not known
  Interval gain{1.0, 1.0, 1.0, 0.95};
  Interval offset_w{0.0, 0.0, 0.0, 0.95};
  std::optional<double> r_squared;  ///< absent for two points, through which every line passes
  std::string meter;
  std::vector<CalibrationLevel> levels;
  std::vector<CalibrationTerm> terms;
  std::vector<std::string> reasons;  ///< what limits it, as codes
};

}  // namespace truewatt
