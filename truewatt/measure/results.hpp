#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/energy/aggregate/node_energy.hpp"
#include "truewatt/energy/aggregate/total.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/energy/results/work.hpp"
#include "truewatt/trace/trace.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::measure {

struct CommandResult {
  std::vector<std::string> argv;
  int exit_code = 0;
};

/// What one trial says of one execution.
struct TrialEnergy {
  int executions = 1;
  std::optional<double> joules;        ///< gross
  std::optional<double> half_width_j;  ///< of its 95 % interval, without the gain
  std::optional<Joules> truth;         ///< simulated devices
  double weight = 0.0;                 ///< in the mean; 0: left out
  bool valid = true;                   ///< its data are whole
  Window window{};                     ///< all of its executions, on the host's axis
  Seconds pause{0};                    ///< idle between them, all together
};

/// Fewer trials tell no scatter that is worth stopping at.
inline constexpr int kFewestTrials = uncertainty::kFewestRuns;

/// How an energy of one execution was found from several.
struct Repetition {
  int executions = 0;                ///< all together
  int trials = 0;                    ///< recordings that they were in
  Seconds pause{0};                  ///< between the executions of a trial
  std::optional<double> target;      ///< half-width that was wanted, as a share
  std::optional<double> half_width;  ///< of the widest device: 95 %, without the gain, as a share
  bool reached = false;              ///< the target, by every device, and all are resolved
  std::optional<int> needs_executions;  ///< how many would reach it, as far as these tell
  std::optional<Seconds> needs;         ///< and how long they take
  std::vector<std::vector<TrialEnergy>> of_devices{};  ///< the trials of every device, in order
};

/// What `measure`, `run` and `demo` found out: one estimate per device and their sum. JSON schema
/// `truewatt.energy/1`.
struct EnergyRun {
  std::string tool_version;
  DriverTime start;  ///< REALTIME of the first window's begin
  std::string load;  ///< the load's SPEC, "" for a command
  std::vector<energy::EnergyEstimate> devices;
  energy::EnergyTotal total;
  /// The same windows with where they lie in their recording; of repeated executions the mean of
  /// one, from 0 s.
  std::vector<energy::WindowResult> windows{};
  std::vector<energy::LabelResult> labels{};  ///< windows of one name together
  std::optional<CommandResult> command;
  std::optional<energy::Work> work{};      ///< that the command did, where somebody said so
  std::optional<Repetition> repetition;    ///< present: the energies are means of one execution
  std::optional<energy::NodeEnergy> node;  ///< where `--node` asked for it
  std::vector<std::string> notes;          ///< which profile was used, what limits the number, ...
};

}  // namespace truewatt::measure
