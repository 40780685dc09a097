#pragma once

#include <optional>
#include <string>

#include "truewatt/devices/device_set.hpp"
#include "truewatt/measure/repeated.hpp"
#include "truewatt/measure/repetition_outlook.hpp"
#include "truewatt/measure/trial_means.hpp"

namespace truewatt::measure {

/// Trials of good practice, as many as the authors' code makes (Yang 2024, section V-A).
inline constexpr int kPracticeTrials = 4;

/// When trials are enough: as many executions as were asked for; or a target that is reached, or
/// that no trials within the budget reach.
class StoppingRule {
 public:
  StoppingRule(const devices::DeviceSet& set, Seconds execution, const RepeatOptions& options)
      : set_(set), execution_(execution), options_(options) {}

  /// invalid_argument where so long a trial puts the target out of reach before any was played.
  Result<void> check_reach(const RepetitionDesign& design) const;
  /// Whether no trial is to follow these, `elapsed` after the first began. Notes why, too.
  bool is_enough(const TrialsByDevice& trials, int executions, Seconds elapsed);

  /// Why no further trial is worth it; "" if it is.
  const std::string& never() const { return never_; }
  /// By the last trials: how many reach the target, and the half-width.
  const std::optional<double>& needed_trials() const { return needed_trials_; }
  const std::optional<double>& half_width() const { return half_width_; }

 private:
  bool is_hopeless(const TrialsByDevice& trials, Seconds elapsed);
  std::string never_for(const Irreducible& left) const;
  void look_ahead(const std::vector<energy::EnergyEstimate>& means, int trials, Seconds elapsed);

  const devices::DeviceSet& set_;
  Seconds execution_;
  const RepeatOptions& options_;
  std::string never_;
  std::optional<double> needed_trials_;
  std::optional<double> half_width_;
};

}  // namespace truewatt::measure
