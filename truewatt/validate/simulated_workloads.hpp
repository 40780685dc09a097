#pragma once

#include <string>
#include <vector>

#include "truewatt/load/load.hpp"
#include "truewatt/store/workload_list.hpp"

namespace truewatt::validate {

/// Workloads whose phases are made after those of Yang 2024's Table II, for simulated devices:
/// without a command.
std::vector<store::Workload> simulated_workloads();

/// One execution of the one of this name; without a step where there is none. Pure.
load::Schedule simulated_execution(const std::string& name);

}  // namespace truewatt::validate
