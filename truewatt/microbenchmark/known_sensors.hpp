#pragma once

#include <cstdint>
#include <stop_token>

#include "truewatt/base/result.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/progress.hpp"

namespace truewatt::microbenchmark {

struct KnownSensorsOptions {
  capture::PollOptions polling;
  Seconds budget{600};  ///< of the whole measurement
  std::uint64_t seed = 1;
  experiment::Progress progress;
  std::stop_token stop;
};

/// Characterizes the sensors of the set's first device for a tenth of the budget if nobody did:
/// what that tells, every row is the more precise for. Where that tells too little, 25 s
/// more, in budgets that have them. It is used here, not kept, and a note of the set says so; of
/// the set's other notes only warnings stay. Errors: those of the characterization; `unavailable`
/// where no sensor is usable.
Result<void> know_sensors(devices::DeviceSet& set, const devices::Environment& environment,
                          const KnownSensorsOptions& options);

}  // namespace truewatt::microbenchmark
