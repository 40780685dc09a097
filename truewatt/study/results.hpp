#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/energy/repeated_runs.hpp"
#include "truewatt/energy/results.hpp"
#include "truewatt/model/calibration.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::study {

struct CommandResult {
  std::vector<std::string> argv;
  int exit_code = 0;
};

struct EnergyTotal {
  std::optional<energy::EnergyInterval> energy;      ///< joules; absent when a device has none
  std::optional<energy::EnergyInterval> net_energy;  ///< joules
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
inline constexpr int kFewestTrials = energy::kFewestRuns;

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

/// What one meter of the node told, and whether that is part of the node's energy.
struct NodeSource {
  energy::EnergyEstimate estimate;  ///< without a number where the source refused
  Scope scope = Scope::gpu;         ///< what the readings cover
  std::string label;                ///< "GPU 0 (NVIDIA H200)", "DRAM of CPU package 0 (RAPL)"
  std::string refusal;              ///< what it answered instead, with the permission to grant
  bool added = false;
};

/// Energy of the GPUs that were asked for and of what the host's own meters cover, nothing twice
/// (node_energy.hpp).
struct NodeEnergy {
  std::vector<NodeSource> sources;  ///< GPUs, then the host's; none where the host has none
  std::optional<energy::EnergyInterval> energy;
  std::vector<std::string> covers;  ///< labels of what was added; empty without an energy
  bool valid = false;               ///< the data of all that was added are whole
  bool resolved = false;            ///< all that was added is
  std::vector<energy::Reason> reasons;
};

/// What `measure`, `run` and `demo` found out: one estimate per device and their sum. JSON schema
/// `truewatt.energy/1`.
struct EnergyRun {
  std::string tool_version;
  DriverTime start;  ///< REALTIME of the first window's begin
  std::string load;  ///< the load's SPEC, "" for a command
  std::vector<energy::EnergyEstimate> devices;
  EnergyTotal total;
  std::optional<CommandResult> command;
  std::optional<Repetition> repetition;  ///< present: the energies are means of one execution
  std::optional<NodeEnergy> node;        ///< where `--node` asked for it
  std::vector<std::string> notes;        ///< which profile was used, what limits the number, ...
};

struct PlateauMeans {
  std::optional<Watts> sensor;
  std::optional<Watts> meter;
};

/// One load-on interval of recorded data, in seconds since the recording's first reading.
struct AnalyzedWindow {
  double begin_s = 0.0;
  double end_s = 0.0;
  std::optional<double> naive_j;
  std::optional<Interval> energy_j;
  std::optional<double> meter_j;
  PlateauMeans plateau;  ///< absent for windows too short to have one
  std::optional<energy::ProfileUse> profile;
  std::vector<energy::Reason> reasons;
};

struct SourceFit {
  std::optional<Interval> averaging_window_s;
  std::optional<Interval> delay_s;
  std::optional<Interval> time_constant_s;
  std::optional<Interval> gain;
  std::optional<Interval> offset_w;
};

struct AnalyzedSource {
  SourceId source;
  std::uint64_t samples = 0;  ///< readings after removing repeats
  std::optional<Interval> update_period_s;
  std::optional<SourceFit> fit;
  std::vector<std::string> reasons;           ///< codes of why there is no fit
  std::optional<energy::ProfileUse> profile;  ///< of all its windows
  std::vector<AnalyzedWindow> windows;
};

/// From the first window's begin to the last one's end.
struct AnalyzedWhole {
  energy::EnergyEstimate estimate;  ///< from all sources
  double busy_s = 0.0;              ///< sum of the windows
  std::size_t window_count = 0;
  std::optional<double> meter_j;
};

/// What `analyze` found out about recorded data. JSON schema `truewatt.analysis/1`.
struct Analysis {
  std::string tool_version;
  std::string path;
  std::string format;  ///< "nvidia-smi", "run file", "h200 trace", "sc24 folder"
  std::vector<AnalyzedSource> sources;
  std::optional<AnalyzedWhole> combined;
  std::uint64_t rows = 0;      ///< rows of the log that held a reading
  std::uint64_t bad_rows = 0;  ///< rows that could not be read, each with a warning
  std::vector<std::string> notes;
};

/// One of two things that were compared.
struct ComparedSide {
  std::string what;             ///< the load's SPEC, the command, or the run file
  std::vector<EnergyRun> runs;  ///< in order of time
  EnergyTotal mean;             ///< of one run, all devices; its gain is what all runs share
  std::optional<Joules> truth;  ///< simulated devices: mean gross joules
};

/// What can be said of b against a, by the 95 % interval of their ratio: it lies below or above 1;
/// or holds 1 and is within twice the target (2 % where none was given) of it: alike.
enum class RatioVerdict { undecided, less, more, alike };
constexpr std::string_view to_string(RatioVerdict verdict) {
  switch (verdict) {
    case RatioVerdict::less:
      return "less";
    case RatioVerdict::more:
      return "more";
    case RatioVerdict::alike:
      return "alike";
    case RatioVerdict::undecided:
      break;
  }
  return "undecided";
}

/// What `compare` found out. JSON schema `truewatt.comparison/1`.
struct EnergyComparison {
  std::string tool_version;
  ComparedSide a;
  ComparedSide b;
  std::optional<energy::EnergyRatio> gross;        ///< b over a; absent when a run has no energy
  std::optional<energy::EnergyRatio> net;          ///< the same above idle
  std::size_t rounds = 0;                          ///< runs of both that `gross` rests on
  std::optional<double> truth;                     ///< simulated devices: true gross ratio
  RatioVerdict verdict = RatioVerdict::undecided;  ///< of the gross energies
  /// There is a ratio, and nothing puts an energy that it rests on in doubt.
  bool resolved = false;
  std::optional<double> target;     ///< half-width of the gross ratio, as a share, that was wanted
  std::optional<int> needs_rounds;  ///< how many rounds would reach it, as far as these tell
  bool valid = false;               ///< the data of all runs that the ratio rests on are whole
  std::vector<energy::Reason> reasons;  ///< of those runs, once each
  std::vector<std::string> notes;
};

/// How an energy of one execution was told from several of them.
enum class Telling { as_read, corrected, truewatt };

/// Errors of many trials of so many executions, as shares of the true energy.
struct ConvergencePoint {
  int executions = 0;
  double mean = 0.0;    ///< of the errors
  double spread = 0.0;  ///< their standard deviation
  /// truewatt: mean half-width of the 95 % intervals, without the gain; absent for the others.
  std::optional<double> half_width;
};

struct ConvergenceCurve {
  Telling telling = Telling::as_read;
  int delays = 0;  ///< controlled delays in a trial
  std::vector<ConvergencePoint> points;
};

/// A load that is on for the first half of every execution.
struct ConvergenceLoad {
  Seconds execution{0};
  std::vector<ConvergenceCurve> curves;
  /// Executions that the paper's practice takes for this load (its section V-A), its spread with
  /// them, and how many truewatt takes for the same; absent where none of those tried do.
  int practice_executions = 0;
  std::optional<double> practice_spread;
  std::optional<int> needed;
  /// Executions from which on mean error and 1.96 spreads lie within 1 % of what the source's gain
  /// and offset make of the energy: by the paper's practice, and by truewatt, whose interval is as
  /// narrow, too.
  std::optional<int> practice_within;
  std::optional<int> within;
};

/// One source of the device; what the paper calls a case.
struct ConvergenceCase {
  SourceId source;
  Seconds looks{0};   ///< its averaging window and twice its lag
  Seconds period{0};  ///< its update period
  std::vector<ConvergenceLoad> loads;
};

/// What `validate convergence` found out: Figs. 15 to 17 of paper 000 for a simulated device. JSON
/// schema `truewatt.convergence/1`.
struct Convergence {
  std::string tool_version;
  std::string device;
  int trials = 0;  ///< behind every point
  std::vector<ConvergenceCase> cases;
  std::vector<std::string> notes;  ///< which profile was used
  bool interrupted = false;        ///< what had not ended by then is not there
};

/// An energy that was told, against its reference.
struct ToldEnergy {
  std::optional<double> error;       ///< share of the reference; absent: no energy was told
  std::optional<double> half_width;  ///< of its 95 % interval without the gain; absent: none said
  bool resolved = false;
  bool valid = false;
  std::vector<energy::Reason> reasons;
};

/// One workload of `validate workloads`.
struct ValidatedWorkload {
  std::string name;
  std::string title;
  std::string paper;
  std::optional<std::string> failure;  ///< why there is nothing else
  Seconds iteration{0};                ///< of the program's work
  Seconds run{0};                      ///< work in the one run
  std::optional<Watts> power;          ///< mean of the run by its reference
  std::optional<Watts> baseline;       ///< idle beside it
  std::optional<Joules> reference;     ///< gross, of the one run
  /// The counter's energy alone over the ring's; absent where one of them is missing, or the
  /// reference is another.
  std::optional<double> agreement;
  std::optional<double> practice_agreement;  ///< the same of good practice's own reference
  /// Standard deviation of the runs that the reference of one run is the mean of, over their mean.
  std::optional<double> run_to_run;
  /// Standard uncertainty of that reference without the gain, as a share.
  std::optional<double> reference_uncertainty;
  /// Whether the one run is off that reference by no more than its own interval, the reference's
  /// and how much runs differ leave open together (95 %).
  std::optional<bool> explained;
  bool reference_throttled = false;  ///< clocks were limited in a part of it
  int reference_plays = 0;           ///< three at most; 0: the reference is another
  ToldEnergy one_run;
  ToldEnergy practice;                   ///< truewatt's mean of the paper's trials
  std::map<std::string, double> errors;  ///< of the others: `naive power.usage`, `sma`, `yang`, ...
  Seconds reference_took{0};
  Seconds one_run_took{0};
  Seconds practice_took{0};
};

/// Errors of one way to tell energies, over all workloads that have a reference.
struct ErrorSummary {
  std::string name;
  int count = 0;
  double mean_absolute = 0.0;  ///< MAPE, as a share
  double rms = 0.0;
  double largest = 0.0;
};

/// What energies are held against: a simulated device's truth, an external meter beside the same
/// runs, or what the same board's sensor tells of a train of runs.
enum class Reference { truth, meter, steady_state };
constexpr std::string_view to_string(Reference reference) {
  switch (reference) {
    case Reference::truth:
      return "truth";
    case Reference::meter:
      return "meter";
    case Reference::steady_state:
      break;
  }
  return "steady_state";
}

/// An external meter that energies were held against.
struct ReferenceMeter {
  std::string name;
  std::optional<MeterAccuracy> accuracy;  ///< absent: nobody published it
};

/// What `validate workloads` found out. JSON schema `truewatt.validation/1`.
struct Validation {
  std::string tool_version;
  DeviceIdentity device;
  Reference reference = Reference::steady_state;
  std::optional<ReferenceMeter> meter;
  std::vector<ValidatedWorkload> workloads;
  std::vector<ErrorSummary> summaries;
  std::vector<std::string> notes;
  bool interrupted = false;  ///< workloads that had not ended by then are not there or failed
};

/// A source that could not be calibrated, and why.
struct RefusedSource {
  SourceId source;
  std::string message;
};

/// What `calibrate` found out: one calibration (JSON schema `truewatt.calibration/1`) per source.
struct CalibrationRun {
  DeviceIdentity device;
  std::vector<Calibration> calibrations;  ///< in order of sources
  std::vector<RefusedSource> refused;
  std::vector<std::string> notes;
};

}  // namespace truewatt::study
