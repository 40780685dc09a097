#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "truewatt/compare/results.hpp"
#include "truewatt/measure/measurement.hpp"

namespace truewatt::compare {

/// How often two things are measured in turns: a b, b a, a b, ... so that a board that drifts
/// favours neither.
struct CompareOptions {
  measure::MeasureOptions measure;
  std::optional<int> rounds;  ///< exactly so many; else until the target or the end of the budget
  double target = 0.01;       ///< half-width of the gross ratio's 95 % interval, as a share
  std::optional<measure::WorkAsked> work{};  ///< commands: what a run of either does
  std::optional<double> other_done{};        ///< ... of b, where it is another amount
  Seconds budget{60};                        ///< no round begins that would probably end later
};

/// Two loads on every device of the set, in turns. Ends early where the target cannot be reached,
/// saying why. Errors: those of measure().
Result<EnergyComparison> compare_loads(devices::DeviceSet& set, const load::Schedule& a,
                                       const load::Schedule& b,
                                       const devices::Environment& environment,
                                       const CompareOptions& options);

/// Two commands in turns. SIGINT and SIGTERM end it with the rounds that are whole. Errors: those
/// of run_command(); io for a command that ends with another code than 0, with that code in the
/// message: what it did is not what was asked for.
Result<EnergyComparison> compare_commands(devices::DeviceSet& set,
                                          const std::vector<std::string>& a,
                                          const std::vector<std::string>& b,
                                          const devices::Environment& environment,
                                          const CompareOptions& options);

/// What two run files hold, as it was estimated when they were made. Errors: those of reading;
/// insufficient_data where a file holds no estimate, unsupported where it holds several windows of
/// a device or does not tell gain from scatter, as those of older versions.
Result<EnergyComparison> compare_run_files(const std::filesystem::path& a,
                                           const std::filesystem::path& b);

}  // namespace truewatt::compare
