#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/model/calibration.hpp"

namespace truewatt::validate {

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

}  // namespace truewatt::validate
