#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/identification/profile/characterization.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::characterize {

struct CharacterizeOptions {
  capture::PollOptions polling;
  Seconds budget{60};  ///< device time
  std::uint64_t seed = 1;
  /// Compare CPU and GPU work; absent: where a source covers a superchip's module or CPU.
  std::optional<bool> scopes;
  std::optional<std::filesystem::path> out;  ///< run file
  store::Metadata metadata;
  experiment::Progress progress;
  std::stop_token stop;
};

/// Finds the observation model of every source of the set's one device by playing loads on it, for
/// as long as something is not resolved and the budget lasts. Errors are those of the load.
Result<identification::Characterization> characterize(devices::DeviceSet& set,
                                                      const devices::Environment& environment,
                                                      const CharacterizeOptions& options);

/// The same from a characterization's recording alone (a run file): every source is fitted again,
/// from all of its readings; sources that refused are in its events. Whether the run was
/// interrupted is not. Errors: insufficient_data without a load in it, unsupported
/// when loads of several kinds were played, whose readings cannot be told apart. Pure.
Result<identification::Characterization> characterize_recorded(const Recording& recording);

}  // namespace truewatt::characterize
