#pragma once

#include <stop_token>

#include "truewatt/base/result.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/memory/counted_elsewhere.hpp"
#include "truewatt/memory/results.hpp"

namespace truewatt::memory {

struct Options {
  Seconds budget{300};          ///< for all of it
  double target = 0.05;         ///< rows wider than this are measured again while the budget lasts
  bool only_caches = false;     ///< no energies
  bool sweep = true;            ///< energy against the threads of a block
  bool products = false;        ///< products of matrices, predicted and measured, too
  bool counters = true;         ///< false: as if they were denied
  CountElsewhere elsewhere;     ///< asked where this process finds no counters; may be empty
  bool only_elsewhere = false;  ///< and where it would
  /// What was counted before: walks are made for its caches, in place of those that are found.
  std::optional<CountedPlan> counted;
  std::uint64_t seed = 1;
  capture::PollOptions polling;
  energy::EstimateOptions estimate;
  experiment::Progress progress;
  std::stop_token stop;
};

/// Energy per sector of the set's one device by memory level, for loads and stores, of random bits
/// and of zeros (Delestrac et al., ASAP 2024, made to hold for any GPU; docs/method.md, section
/// 15). First the caches' sizes; then walks that aim at each level, their places verified by
/// hardware counters where these may be read; all of them fitted together. A row without a number
/// has its reason. Errors: those of the device.
Result<Table> measure_memory(devices::DeviceSet& set, const devices::Environment& environment,
                             const Options& options);

}  // namespace truewatt::memory
