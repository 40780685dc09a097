#include "truewatt/counters/ncu/ncu_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "truewatt/counters/metrics/metrics.hpp"

namespace truewatt::counters::ncu {

std::vector<std::string> ncu_metrics(int sm) {
  return plan_metrics([sm](std::string_view metric) { return usually_has(sm, metric); }).metrics;
}

std::vector<std::string> ncu_command(const NcuRun& run) {
  std::vector<std::string> command{run.ncu,
                                   "--csv",
                                   "--page",
                                   "raw",
                                   "--print-units",
                                   "base",
                                   "--clock-control",
                                   "none",
                                   "--cache-control",
                                   "none",
                                   "--target-processes",
                                   "all",
                                   "--metrics",
                                   fmt::format("{}", fmt::join(run.metrics, ","))};
  if (!run.log_file.empty()) command.insert(command.end(), {"--log-file", run.log_file});
  if (run.marked) command.insert(command.end(), {"--profile-from-start", "off"});
  if (!run.kernel.empty()) {
    command.insert(command.end(), {"--kernel-name-base", "function", "--kernel-name", run.kernel});
  }
  command.insert(command.end(), run.program.begin(), run.program.end());
  return command;
}

}  // namespace truewatt::counters::ncu
