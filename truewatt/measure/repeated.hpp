#pragma once

#include <optional>

#include "truewatt/measure/measurement.hpp"
#include "truewatt/measure/repetition_design.hpp"

namespace truewatt::measure {

/// How often a load is executed. One of `executions`, `target` and `good_practice` at least; with
/// `executions` so often.
struct RepeatOptions {
  MeasureOptions measure;         ///< its `windows` and `figures` are not looked at
  std::optional<int> executions;  ///< exactly so many
  std::optional<double> target;   ///< until the 95 % half-width, without the gain, is this share
  Seconds budget{60};             ///< no trial begins that would probably end later
  /// As Yang 2024 does (section V-A): four trials, each begun up to a second later by chance; the
  /// readers of the result hold Reader::yang. The others do not count then.
  bool good_practice = false;
  unsigned seed = 1;  ///< of that chance
};
/// Key of a trial's run file whose value is the number of executions in its window.
inline constexpr const char* kExecutions = "executions";
/// Energy of one execution of a load on every device of the set, from several in trials whose
/// phases are spread over the sensors' update period. Ends as soon as every device's interval is as
/// narrow as wanted, and where it cannot become so within the budget, saying why. With
/// `measure.out` RUN.db every trial leaves a run file, RUN.1.db and so on; one that could not be
/// written ends the trials. Of the measurement `run`, `file_error` and `interrupted` are filled.
/// Errors: those of measure().
Result<Measurement> measure_repeatedly(devices::DeviceSet& set, const load::Schedule& schedule,
                                       const devices::Environment& environment,
                                       const RepeatOptions& options);

/// The same with loads that were prepared before.
Result<Measurement> measure_repeatedly(devices::DeviceSet& set, experiment::PreparedLoads& loads,
                                       const load::Schedule& schedule,
                                       const RepeatOptions& options);

}  // namespace truewatt::measure
