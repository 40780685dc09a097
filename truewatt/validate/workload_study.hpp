#pragma once

#include <string>
#include <vector>

#include "truewatt/validate/validation.hpp"

namespace truewatt::validate {

/// What energies of this set are held against.
Reference reference_for(const devices::DeviceSet& set, const ValidateOptions& options);

/// Plays one workload on the set's first device: its reference, the one run, and the trials of good
/// practice. What fails is in the result; what concerns all workloads is added to `notes`.
ValidatedWorkload study_workload(devices::DeviceSet& set, const devices::Environment& environment,
                                 const ValidateOptions& options, const store::Workload& workload,
                                 std::vector<std::string>& notes);

}  // namespace truewatt::validate
