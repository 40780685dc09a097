#pragma once

#include <memory>
#include <vector>

#include "truewatt/counters/counters.hpp"
#include "truewatt/counters/ncu/ncu_csv.hpp"

// ncu counts a process that it starts itself. So the launches that are to be counted are made
// twice: by a process under ncu, which marks them, and by this one, which is then told what ncu
// counted.
namespace truewatt::counters::ncu {

/// For the process under `ncu --profile-from-start off`: count() marks what it launches
/// (cuProfilerStart and cuProfilerStop) and counts nothing. Errors of count(): unavailable where no
/// CUDA driver is open.
std::unique_ptr<Counters> make_marks();

/// What ncu counted, one launch for each call of count(), in the order in which the other process
/// made them; count() launches too. Errors of count(): insufficient_data when there are no more.
std::unique_ptr<Counters> make_counted(std::vector<LaunchCounts> launches);

}  // namespace truewatt::counters::ncu
