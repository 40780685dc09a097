#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/capture/command.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/aggregate/total.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/measure/figures.hpp"
#include "truewatt/measure/results.hpp"
#include "truewatt/measure/work_done.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::experiment {
struct PreparedLoads;
}  // namespace truewatt::experiment

namespace truewatt::measure {

/// A stretch of a load to account for on its own, from the load's begin.
struct RelativeWindow {
  Seconds begin{0};
  Seconds end{0};
  std::string label;
};

struct MeasureOptions {
  capture::PollOptions polling;
  energy::EstimateOptions estimate;
  bool blind = false;        ///< withhold the activity from the estimator
  bool figures = false;      ///< also what a page draws beside the readings
  bool all_windows = false;  ///< also windows by each source alone, and those of a name together
  std::vector<RelativeWindow> windows;       ///< empty: the whole load
  std::optional<std::filesystem::path> out;  ///< run file
  store::Metadata metadata;                  ///< for the run file
  experiment::Progress progress;
  std::stop_token stop;
};

/// What one measurement leaves: the numbers (per device, and per window within it), and everything
/// to draw them with.
struct Measurement {
  EnergyRun run;
  /// One per device, and behind them one per socket of the host that was captured.
  std::vector<Recording> recordings;
  std::vector<std::vector<store::CurvePoint>> curves;  ///< true power of simulated devices
  std::vector<EstimateFigures> figures;                ///< one per device, where asked for
  std::optional<Error> file_error;                     ///< why the run file is not whole
  std::optional<Error> work_error{};                   ///< why the work done is not known
  std::vector<std::string> hangs{};  ///< calls of drivers that did not return, also in the notes
  bool interrupted = false;  ///< somebody asked for its end, or its command's, before it came
};

/// Energy of one execution of a load on every device of the set: idle before, load, idle after,
/// estimate. Errors are those of the load; what could not be told from the readings is in the
/// result.
Result<Measurement> measure(devices::DeviceSet& set, const load::Schedule& schedule,
                            const devices::Environment& environment, const MeasureOptions& options);

/// The same with loads that were prepared once for several executions of whatever schedules.
Result<Measurement> measure(devices::DeviceSet& set, experiment::PreparedLoads& loads,
                            const load::Schedule& schedule, const MeasureOptions& options);

struct CommandOptions {
  MeasureOptions measure;
  std::optional<load::Schedule> load;  ///< simulated devices: what runs meanwhile
  std::optional<WorkAsked> work{};     ///< what the command says that it did
  /// Told the command's exit code as soon as it is known: whatever happens to us later.
  std::function<void(int)> on_end{};
  capture::CommandRunner* runner = nullptr;  ///< of commands in a row: no signal falls between two
  Seconds tail{0.7};  ///< idle waited for after a command that outlived an update period
};

/// Energy of a command on every device of the set, on the real clock. The result's exit code is the
/// command's; SIGINT or SIGTERM after its end ends the tail at once, `options.measure.stop` is not
/// looked at. Errors: those of starting it (capture::CommandRunner), of which unavailable and
/// permission are about the command alone; else our own.
Result<Measurement> run_command(devices::DeviceSet& set, const std::vector<std::string>& argv,
                                const devices::Environment& environment,
                                const CommandOptions& options);

}  // namespace truewatt::measure
