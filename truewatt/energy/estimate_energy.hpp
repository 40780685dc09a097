#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/results.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// What is known beside the recording.
struct Knowledge {
  const Profile* profile = nullptr;       ///< of this device's sources
  std::vector<Calibration> calibrations;  ///< of its sources against a meter
};

struct EstimateOptions {
  /// Use this source alone; absent: the best one there is.
  std::optional<SourceId> source;
  /// Resolved means: 95 % half-width, without the gain's term, at most this share of the energy.
  double resolve = 0.05;
  /// Half-width of the rectangular type-B distribution of an uncalibrated gain: Yang, Adamek and
  /// Armour (SC'24), section IV-B, find errors of +-5 % in proportion to the power.
  double uncalibrated_gain = 0.05;
  /// Standard deviation of an uncalibrated offset: root mean square of the offsets of the same
  /// paper's 19 boards (Fig. 9). It cancels in net energy; in the budget it is part of "gain".
  double uncalibrated_offset_w = 5.8;
};

/// The seam of the science: energy of one window from everything recorded on one device. Chooses
/// the source (an energy counter before any power source), estimates gross and net energy with
/// their budget, adds every source's naive joules, and says what it could not tell and why. Never
/// fails: an estimate without a number carries its reasons. Pure; any thread.
EnergyEstimate estimate_energy(const Recording& recording, const Window& window,
                               const Knowledge& knowledge = {},
                               const EstimateOptions& options = {});

}  // namespace truewatt::energy
