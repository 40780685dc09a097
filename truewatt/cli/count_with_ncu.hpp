#pragma once

#include <stop_token>
#include <string>

#include "truewatt/memory/memory.hpp"

namespace truewatt::cli {

/// Counters that this program, started once more under ncu, had ncu count on the device of that
/// UUID. ncu is searched for in PATH, CUDA_HOME, /usr/local/cuda and /opt/nvidia.
memory::CountElsewhere count_with_ncu(std::string uuid, std::stop_token stop);

/// The command, for a shell, with which an administrator has ncu count what the plan launches on
/// the device of that UUID; its output is what read_counts_file() reads. Errors: io.
Result<std::string> shell_command_of_ncu(const std::string& uuid, const memory::CountedPlan& plan);

/// The hidden option that the program under ncu is started with, and its value.
inline constexpr const char* kLaunchCounted = "--launch-counted";
std::string text_of(const memory::CountedPlan& plan);
Result<memory::CountedPlan> parse_counted_plan(const std::string& text);

}  // namespace truewatt::cli
