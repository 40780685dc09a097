#pragma once

#include <string>
#include <vector>

namespace truewatt::counters::ncu {

struct NcuRun {
  std::string ncu = "ncu";             ///< the program, or its path
  std::vector<std::string> metrics{};  ///< with rollup, as plan_metrics() has them
  std::string log_file{};              ///< where ncu writes its table; empty: standard output
  std::string kernel{};                ///< only kernels of this name; empty: all
  bool marked = false;                 ///< only what the program marks (make_marks())
  std::vector<std::string> program{};  ///< and its arguments
};

/// The metrics that GPUs of compute capability `sm` (90 for 9.0) count under ncu.
std::vector<std::string> ncu_metrics(int sm);

/// The command, argument by argument, with which ncu counts a program: clocks are left as they are,
/// and caches too, so that a replayed launch finds what the first found. parse_ncu_csv() reads what
/// it writes. Pure; starts nothing.
std::vector<std::string> ncu_command(const NcuRun& run);

}  // namespace truewatt::counters::ncu
