#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "truewatt/store/workload_list.hpp"
#include "truewatt/study/measurement.hpp"
#include "truewatt/study/results.hpp"

namespace truewatt::study {

struct ValidateOptions {
  MeasureOptions measure;  ///< its windows, figures, blindness and readers are not looked at
  bool practice = true;    ///< also paper 000's good practice: half a minute each
  /// Hold a simulated device's energies, too, against what its sensor tells of a train of runs.
  bool ignore_truth = false;
  /// Existing folder that keeps what was recorded of every workload: NAME-reference.db
  /// (NAME-reference-2.db, ... where it was played again), NAME-run.db and the trials of good
  /// practice, NAME-practice.1.db, ...; none: empty.
  std::filesystem::path recordings;
  unsigned seed = 1;  ///< of the reference's gaps
};

/// Workloads whose phases are made after those of paper 000's Table II, for simulated devices:
/// without a command.
std::vector<store::Workload> simulated_workloads();

/// Energies of known work by one run, by what others read of the same run, and by paper 000's good
/// practice, against a reference (docs/validation.md): on a simulated device the truth; else the
/// mean of a train of runs as long (steady_state.hpp). A workload that fails has its failure in the
/// result. Of one device (invalid_argument for several).
Result<Validation> validate_workloads(DeviceSet& set, const std::vector<store::Workload>& workloads,
                                      const Environment& environment,
                                      const ValidateOptions& options);

}  // namespace truewatt::study
