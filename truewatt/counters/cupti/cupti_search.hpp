#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace truewatt::counters::cupti {

/// Where CUPTI may be. Empty entries are left out.
struct SearchPlaces {
  std::string cuda_home;             ///< of CUDA_HOME or CUDA_PATH
  std::string virtual_env;           ///< of VIRTUAL_ENV: a Python environment
  std::string conda;                 ///< of CONDA_PREFIX
  std::string home;                  ///< of HOME: packages that a user installed with pip
  std::filesystem::path root = "/";  ///< in front of the system's folders
};

/// The process's. Of one with rights beyond its user's no variable counts.
SearchPlaces places_of_process();

/// Files and names to open, best first: the loader's own search, CUDA's folders (the toolkit's
/// library and extras/CUPTI), Python wheels (nvidia/cuda_cupti, nvidia/cu13). Of each place the
/// library of CUDA `major` comes first where that is known. Names without a folder are for the
/// loader to find; files exist.
std::vector<std::string> cupti_candidates(const SearchPlaces& places, std::optional<int> major);

}  // namespace truewatt::counters::cupti
