#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "truewatt/base/result.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/idle/results.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::idle {

/// Below, stretches would be too short to see a board settle; above, nothing would be gained.
inline constexpr Seconds kShortestBudget{30};
inline constexpr Seconds kLongestBudget{60};

struct Options {
  Seconds budget{60};  ///< kShortestBudget to kLongestBudget
  capture::PollOptions polling;
  energy::EstimateOptions estimate;
  std::optional<std::filesystem::path> out;  ///< run file, in which each stretch is a window
  store::Metadata metadata;                  ///< for the run file
  experiment::Progress progress;
  std::stop_token stop;
};

/// Stands on every rung of idle in one recording of the set's only device, and says what each
/// draws (docs/method.md, section 5): bare; with a context, at rest; resident, spinning, right
/// after work, resident, spinning; with a context again until it rests; and bare after the context
/// is gone. Nothing of it needs a known sensor; a kept profile and calibration are used. A rung
/// that cannot be told has a row that says why. Errors: those of the devices and the load.
Result<Ladder> climb(devices::DeviceSet& set, const devices::Environment& environment,
                     const Options& options);

}  // namespace truewatt::idle
