#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/energy/aggregate/ratio.hpp"
#include "truewatt/measure/results.hpp"

namespace truewatt::compare {

/// One of two things that were compared.
struct ComparedSide {
  std::string what;                      ///< the load's SPEC, the command, or the run file
  std::vector<measure::EnergyRun> runs;  ///< in order of time
  energy::EnergyTotal mean;            ///< of one run, all devices; its gain is what all runs share
  std::optional<Joules> truth;         ///< simulated devices: mean gross joules
  std::optional<energy::Work> work{};  ///< of one run, where all of them did as much
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
  std::optional<energy::EnergyRatio> gross;  ///< b over a; absent when a run has no energy
  std::optional<energy::EnergyRatio> net;    ///< the same above idle
  /// The ratio of the gross energies per unit of work; absent unless both did work of one unit.
  std::optional<Interval> per_unit{};
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

}  // namespace truewatt::compare
