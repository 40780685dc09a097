#pragma once

#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/identification/profile/scope_findings.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::characterize {

/// Loads of the CPU and of the GPU that begin together and last equally long.
struct ScopeSchedules {
  load::Schedule cpu;
  load::Schedule gpu;
};

/// CPU work alone, GPU work alone and both at once, twice each for 0.8 to 1.2 s in random order,
/// with 0.3 to 0.6 s of idle between them: about 9 s (docs/method.md, section 9; after Yang,
/// Adamek, Armour (SC'24), section VI, which plays each once for 4 s).
ScopeSchedules scope_schedules(std::mt19937_64& rng);

/// A budget below this leaves no room to compare CPU and GPU work.
inline constexpr Seconds kLeastScopeBudget{30.0};

/// True where a source of the set's one device covers `scope`.
bool covers(const devices::DeviceSet& set, Scope scope);

/// Whether its sources may see more than the GPU: one covers its module or its CPU.
bool is_superchip(const devices::DeviceSet& set);

struct ScopeOptions {
  Seconds cpu_time{0};  ///< random CPU work for the sources of the CPU; 0: none
  std::uint64_t seed = 1;
  experiment::Progress progress;
  std::stop_token stop;
};

/// Plays the comparison on the set's one device and on the CPU, then random CPU work alone, into a
/// session that samples. Errors are those of the loads.
Result<identification::ScopeExperiment> play_scope_experiment(devices::DeviceSet& set,
                                                              load::Load& gpu,
                                                              experiment::Session& session,
                                                              const ScopeOptions& options);

}  // namespace truewatt::characterize
