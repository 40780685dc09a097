#pragma once

#include <stop_token>
#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/replication/yang/results.hpp"

namespace truewatt::replication {

struct ConvergenceOptions {
  int trials = 32;  ///< behind every point
  /// As in Yang 2024: the longest trains take a minute; false: an eighth of them.
  bool full = true;
  std::vector<SourceKind> sources;  ///< of the GPU; empty: instant and average, else usage
  std::uint64_t seed = 1;
  experiment::Progress progress;
  std::stop_token stop;
};

/// How error and spread of an energy fall with the number of executions (Yang 2024, section V-A,
/// Figs. 15 to 17): square waves of 25, 100 and 800 % of a source's update period, each trial
/// begun up to a second later by chance; as read, with the paper's corrections, with 4 and 8
/// delays where the source looks part of the time, and by truewatt's own trials from that source
/// alone. The set's first device must be simulated, because its truth is known (invalid_argument
/// else); it is characterized first unless it has a profile.
Result<Convergence> run_convergence(devices::DeviceSet& set,
                                    const devices::Environment& environment,
                                    const ConvergenceOptions& options);

}  // namespace truewatt::replication
