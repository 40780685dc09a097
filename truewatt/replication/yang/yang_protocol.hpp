#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/replication/yang/yang_source.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::replication {

/// How much of Yang 2024's protocol is played. The defaults are the paper's: 47 minutes.
struct YangPlan {
  Seconds warm_up{200};         ///< artifact: at least 200 s of load before anything
  int step_repetitions = 8;     ///< of each of six levels
  int window_repetitions = 32;  ///< of each of six periods, and of the update period

  /// Device time, at most.
  Seconds duration() const;
};

/// The plan with so many repetitions of everything, 1 to 64.
YangPlan plan_with(int repetitions);

/// The plan with as many repetitions as fit, steps to windows as in the paper, and its share of the
/// warm-up. invalid_argument when not even one of each does; the message says what one needs.
Result<YangPlan> plan_within(Seconds budget);

struct YangOptions {
  capture::PollOptions polling;
  YangPlan plan;
  std::uint64_t seed = 1;
  std::optional<std::filesystem::path> out;  ///< run file
  store::Metadata metadata;
  experiment::Progress progress;
  std::stop_token stop;
};

struct YangRun {
  Profile profile;  ///< with `protocol` yang and no recommendation, for which it has no rule
  Recording recording;
  YangLoads loads;
  std::vector<YangSource> sources;
  std::vector<std::string> notes;
  std::optional<Error> file_error;  ///< why the run file is not whole
};

/// Plays the experiments of Yang, Adamek, Armour (SC'24), sections IV-A to IV-C, on the set's one
/// device, and judges every source by that paper's own procedures, for comparison with
/// `characterize`: update period (20 ms wave, median), transient (steps), then, where a rise is
/// short enough, the window (six periods by one fit per run) and Fig. 10. The waves' periods are
/// those of the paper's text, cut to whole milliseconds as in its artifact, for the source that the
/// artifact would take: instant, else usage, else average. Errors are those of the load.
Result<YangRun> run_yang_protocol(devices::DeviceSet& set, const devices::Environment& environment,
                                  const YangOptions& options);

}  // namespace truewatt::replication
