#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"

namespace truewatt::store {

/// A program of known work (validation/README.md).
struct Workload {
  std::string name;
  std::string title;
  std::string paper;                 ///< "000", "001", "002": whose workload it is
  std::string what;                  ///< one iteration, a sentence
  std::vector<std::string> command;  ///< to be started in `folder`
  std::filesystem::path folder;
};

/// The name under which a folder of workloads lists them.
inline constexpr const char* kWorkloadList = "workloads.json";

/// Reads the list from its text; each entry has a name and a command at least. Errors: parse.
Result<std::vector<Workload>> read_workloads(std::string_view text, const std::string& origin,
                                             const std::filesystem::path& folder);

/// The workloads of a folder. Errors: unavailable (no list there), io, parse.
Result<std::vector<Workload>> find_workloads(const std::filesystem::path& folder);

}  // namespace truewatt::store
