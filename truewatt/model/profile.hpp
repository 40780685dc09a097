#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/coded.hpp"
#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/model/calibration.hpp"
#include "truewatt/model/profile_reason.hpp"
#include "truewatt/model/source_class.hpp"

namespace truewatt {

/// The published behaviour of a source that a measured one was held against
/// (model/catalogue_match.hpp).
struct CatalogueMatch {
  std::optional<std::string> code;  ///< of Fig. 14, that fits best; absent: none fits
  std::optional<bool> agrees;       ///< with what is published about the device's family
  friend bool operator==(const CatalogueMatch&, const CatalogueMatch&) = default;
};

/// Energy by an energy counter over energy by a power source, while both were characterized.
struct EnergyAgreement {
  SourceId source;
  Interval ratio;
  std::optional<double> power_w;  ///< mean by the power source meanwhile; older profiles lack it
};

/// How an energy counter comes by its joules.
struct CounterProfile {
  Coded<Counting> counting;
  /// Sampled: from one inner reading to the next; unresolved: as far apart as they may be.
  std::optional<double> inner_period_s;
  std::optional<double> gap_begin_s;       ///< gap: so long after a tick
  std::optional<Interval> gap_length_s;    ///< gap: charged by the value at its end
  std::vector<EnergyAgreement> agreement;  ///< with the power sources of its scope
};

/// What a source answers to full work of the CPU and of the GPU (docs/method.md, section 9).
/// Absent: its readings did not tell.
struct ScopeFinding {
  std::optional<Interval> cpu_response_w;  ///< to CPU work alone
  std::optional<Interval> gpu_response_w;  ///< to GPU work alone
  std::optional<Interval> excess_w;        ///< to both at once, beyond the sum of the two
  std::optional<SourceId> alias_of;        ///< the source that it is another name of
};

/// What a source made of a step of work below full, held against full work (docs/method.md,
/// section 9).
struct LevelFinding {
  double level = 0.0;  ///< of the load, 0 to 1
  Interval share;      ///< settled step over that of full work
  Interval later_s;    ///< so much later than full work; 0 is in it for a linear sensor
};

/// A part of a step of the board's power that is missing when work begins from idle (a share above
/// 0: it rises slowly) or too much (below 0: it overshoots), and decays.
struct BoardTransient {
  Interval share;
  Interval time_constant_s;
};

/// The observation model that fits a source's readings best, resolved or not: what an estimate of
/// energy goes by, with the intervals as its doubt. The age is known far better than its parts.
struct FittedModel {
  Interval averaging_window_s;
  Interval time_constant_s;
  /// Mean age of the energy in a reading at its tick (of an energy counter: of what it has
  /// counted), the sensor's share alone: delay + time constant + half of the window.
  Interval age_s;
  /// By which the times of readings stray beyond what is known of each, as a standard deviation.
  double jitter_s = 0.0;
  /// How the board itself comes up to work: at once where none is there. Nothing where readings do
  /// not tell that from the source's own window and filter.
  std::optional<std::vector<BoardTransient>> board{};
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
  /// How late readings are of work that begins, on average: delay, half of the window, time
  /// constant and the board's slow rise less its overshoot, known even where its parts are not. Of
  /// a counter: of its mean power over an update period, however it counts.
  std::optional<Interval> total_lag_s;
  std::optional<FittedModel> fitted;  ///< absent: nothing was fitted
  Coded<ResponseClass> response;
  std::optional<double> duty;
  std::optional<double> quantum;
  std::optional<Interval> gain;
  std::optional<Interval> offset_w;
  std::vector<LevelFinding> levels;         ///< none: only full work was played
  std::optional<CounterProfile> counter;    ///< energy counters only
  std::optional<CatalogueMatch> catalogue;  ///< absent: nobody looked it up
  std::optional<double> needs_s;            ///< device time that would resolve what is null
  std::optional<ScopeFinding> scopes;       ///< absent: nobody compared CPU and GPU work
  Coded<SourceVerdict> verdict;
  std::vector<Coded<ProfileReason>> reasons;
  /// What a published protocol reports beside that, by name with the unit as suffix.
  std::map<std::string, double> protocol_values;
};

/// The same of one socket of the host, polled beside the device.
struct HostProfile {
  DeviceIdentity device;
  std::vector<SourceProfile> sources;
};

/// How steady a board was while it was characterized (docs/method.md, section 9). Drifts are those
/// of the readings that were fitted, by the source that tells them best.
struct Steadiness {
  double warm_up_s = 0.0;          ///< played before, because the board was not steady
  std::optional<SourceId> source;  ///< whose watts the drifts are in
  std::optional<Interval> idle_drift_w_per_s;
  std::optional<Interval> work_drift_w_per_s;  ///< of the power of full work
  std::optional<double> temperature_begin_c;
  std::optional<double> temperature_end_c;
  std::vector<Coded<SteadinessReason>> reasons;
};

/// The observation models of a device's sources, as `truewatt characterize` saves them.
struct Profile {
  DeviceIdentity device;
  std::string created;                ///< RFC 3339, UTC
  Coded<PublishedProtocol> protocol;  ///< whose procedures found it; empty: our own joint fit
  double duration_s = 0.0;
  std::optional<SourceId> recommended_source;
  std::vector<SourceProfile> sources;
  std::optional<Steadiness> steadiness;  ///< absent: nobody looked
  std::vector<HostProfile> host;         ///< where CPU and GPU work were compared
};

/// The profile of `source`, or null.
const SourceProfile* find_source(const Profile& profile, SourceId source);
bool has_reason(const SourceProfile& source, ProfileReason reason);
/// Whether readings follow power more slowly than the work that they were shown, or may: what was
/// fitted to them describes nothing. Profiles of earlier versions have such fits.
bool is_too_slow(const SourceProfile& source);
/// What a paper's own procedures found of that name, where they did.
std::optional<double> protocol_value(const SourceProfile& source, const std::string& name);

}  // namespace truewatt
