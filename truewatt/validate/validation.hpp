#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/measure/measurement.hpp"
#include "truewatt/sensor/meter/meter.hpp"
#include "truewatt/store/workload_list.hpp"
#include "truewatt/validate/results.hpp"

namespace truewatt::validate {

/// A meter on the set's only device.
struct MeterBeside {
  sensor::Meter* live = nullptr;          ///< null: a simulated one, of a simulated device
  std::optional<MeterAccuracy> accuracy;  ///< absent: that of the meter's kind
};

struct ValidateOptions {
  measure::MeasureOptions
      measure;            ///< its windows, figures, blindness and readers are not looked at
  Seconds run_work{1.0};  ///< work of the one run, at least
  bool practice = true;   ///< also Yang 2024's good practice: half a minute each
  /// Hold a simulated device's energies, too, against what its sensor tells of a train of runs.
  bool ignore_truth = false;
  /// Existing folder that keeps what was recorded of every workload: NAME-reference.db
  /// (NAME-reference-2.db, ... where it was played again), NAME-run.db and the trials of good
  /// practice, NAME-practice.1.db, ...; none: empty.
  std::filesystem::path recordings;
  /// Hold energies against an external meter beside the same runs.
  std::optional<MeterBeside> meter;
  unsigned seed = 1;  ///< of the reference's gaps, and of a simulated meter
};

/// Energies of known work by one run, by what others read of the same run, and by Yang 2024's good
/// practice, against a reference (docs/validation.md, section 3): a meter's readings of the same
/// runs; without one on a simulated device the truth, else the mean of a train of runs as long
/// (steady_state.hpp). A workload that fails has its failure in the
/// result. Of one device (invalid_argument for several).
Result<Validation> validate_workloads(devices::DeviceSet& set,
                                      const std::vector<store::Workload>& workloads,
                                      const devices::Environment& environment,
                                      const ValidateOptions& options);

}  // namespace truewatt::validate
