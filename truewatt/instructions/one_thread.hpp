#pragma once

#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/instructions/instructions.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::instructions {

/// The protocol of Arafa et al. (CF 2020), sections III and IV: one block of one thread runs a loop
/// of dependent instructions, and Eq. 1 divides what the board drew beyond the same loop without
/// them. It stands beside a table to show what its numbers are: nearly all of them is the board's
/// idle power for as long as one thread waits for one instruction.

struct OneThreadOptions {
  const Options& options;
  HostTime began;     ///< when the budget's time began
  int first_run = 0;  ///< number of its first window among all windows
};

/// How long it takes for the rows of Table I among these.
Seconds one_thread_takes(const std::vector<RowKey>& keys);

/// Measures the rows of Table I, and rows that are partners of them, while the budget lasts; a
/// note names how many had no turn. Rows that do not run have nothing. Errors: those of the load
/// and of the device.
Result<void> measure_one_thread(devices::DeviceSet& set, load::Load& load,
                                const OneThreadOptions& options, Table& table);

}  // namespace truewatt::instructions
