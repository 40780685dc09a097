#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/former/estimate_energy.hpp"
#include "truewatt/energy/former/kriging.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/model/signal_response.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::energy {

/// One source as the joint estimator sees it: its ticks and what its profile says of them.
struct SourceView {
  SourceId source;
  ObservationModel model;   ///< gain 1, offset 0
  double age_sd = 0.0;      ///< s, of delay + time constant + half of the window
  double window_sd = 0.0;   ///< s, at the same age
  double lag_sd = 0.0;      ///< s, of the time constant, ...
  double age_by_lag = 0.0;  ///< ... with which the age goes by so much of it (0: not at all)
  double gain_sd = 0.0;     ///< of this source's gain over that of the source that is believed
  double offset_sd = 0.0;   ///< W, likewise
  double noise_sd = 0.0;    ///< scatter of a reading at idle, W; J of a counter; found in a problem
  double strays = 1.0;      ///< mean square of its innovations, at least 1; found in a problem
  double quantum = 0.0;     ///< W; J of a counter
  bool calibrated = false;  ///< against a meter: gain and offset are undone
  double inner_s = 0.0;     ///< counters, rings: from one inner reading to the next, s
  bool inner_first = false;  ///< ... of the power, before the lag; else of what is behind it
  double ring_s = 0.0;       ///< counters that may be made of a driver's ring: its period, s
  bool sums = false;         ///< counters: the count is the sum of its looks since the tick before:
                             ///< of inner readings, the last on the tick, or all but a gap
  /// Counters: after every tick a stretch that is not looked at and charged by the power at its
  /// end.
  struct Gap {
    double begin = 0.0;  ///< s after the tick
    double begin_sd = 0.0;
    double length = 0.0;  ///< s
    double length_sd = 0.0;
  };
  std::optional<Gap> gap;
  bool integrates = false;  ///< counters: the profile found that nothing is left out
  double alias_gain = 1.0;  ///< docs/method.md, eq. 14f
  /// Counters: what the profile held of its energy against that of power sources.
  std::vector<EnergyAgreement> agreement;
  std::vector<ticks::Tick> ticks;  ///< W; J of a counter, less the first of them
  /// Of a ring: where its ticks are if its readings jitter with their stamps.
  struct Place {
    double time = 0.0;     ///< s
    double time_sd = 0.0;  ///< s
  };
  std::vector<Place> by_stamps;
  /// By tick, for readings of another time than their tick: so many times their noise's variance
  /// that they count as they stray; empty: 1. Found in a problem.
  std::vector<double> astray;
};

/// Views of the GPU's sources in a recording to which a profile has fitted a model. `origin` is the
/// ticks' axis. Sources that are unusable, computed, or show the same as another are left out.
std::vector<SourceView> source_views(const Recording& recording, const Knowledge& knowledge,
                                     HostTime origin);

/// The ring with its readings where they are if they jitter with their stamps.
SourceView jittering(SourceView view);

/// The counter that adds up readings as one that integrates between them.
SourceView integrating(SourceView view);

/// The largest share of a load's component at a multiple of the update frequency that the source
/// turns into a constant error (docs/method.md, eq. 14f).
double alias_gain(const ObservationModel& model);

/// How the source's tick number k looks at the power; of a counter that sums, since the tick
/// before.
std::vector<Look> looks_at(const SourceView& view, std::size_t k);

/// What a course of power of height 1 does to each reading of a source; of a counter: to its count
/// since `since`.
std::vector<SignalResponse> responses_of(const SourceView& view, const PowerSignal& course,
                                         double since);

}  // namespace truewatt::energy
