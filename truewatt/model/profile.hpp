#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/model/calibration.hpp"

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
  /// What a published protocol reports beside that, by name with the unit as suffix.
  std::map<std::string, double> protocol_values;
};

/// The observation models of a device's sources, as `truewatt characterize` saves them.
struct Profile {
  DeviceIdentity device;
  std::string created;   ///< RFC 3339, UTC
  std::string protocol;  ///< whose procedures found it ("yang"); empty: our own joint fit
  double duration_s = 0.0;
  std::optional<SourceId> recommended_source;
  std::vector<SourceProfile> sources;
};

/// The profile of `source`, or null.
const SourceProfile* find_source(const Profile& profile, SourceId source);

}  // namespace truewatt
