#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/replication/burtscher/burtscher_source.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::replication {

/// The load of Burtscher 2014, Fig. 1: as long as its n-body kernel with 700 000 bodies ran.
inline constexpr Seconds kBurtscherKernel{5.346};
/// Idle before, longer than a K20's active idle after whatever prepared the load; and after, for
/// its 3.5 s of active idle and the stairs.
inline constexpr Seconds kBurtscherIdleBefore{10.0};
inline constexpr Seconds kBurtscherIdleAfter{12.0};

struct BurtscherOptions {
  capture::PollOptions polling;
  std::optional<std::filesystem::path> out;  ///< run file
  store::Metadata metadata;
  experiment::Progress progress;
  std::stop_token stop;
};

struct BurtscherRun {
  Profile profile;  ///< with `protocol` burtscher and no recommendation, for which it has no rule
  Recording recording;
  std::vector<PowerProfileFigures> figures;  ///< of every source that showed something
  std::vector<std::string> notes;
  std::optional<Error> file_error;  ///< why the run file is not whole
};

/// Device time of the protocol.
Seconds burtscher_duration();

/// Plays one step of full load on the set's one device and judges every source by the procedures
/// of Burtscher, Zecena, Zong (GPGPU-7, 2014), sections 4 to 6: the capacitor of the sensor,
/// corrected power, the times t1 to t4, active idle and its stairs, the energy of the tail and the
/// intervals between readings. 28 s. Errors are those of the load.
Result<BurtscherRun> run_burtscher_protocol(devices::DeviceSet& set,
                                            const devices::Environment& environment,
                                            const BurtscherOptions& options);

/// The same of a recording that was made so: of its first load. Errors: insufficient_data without a
/// reading or where it does not say when its load ran. Pure.
Result<BurtscherRun> judge_by_burtscher(const Recording& recording);

}  // namespace truewatt::replication
