#include "truewatt/counters/cupti/cupti_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace truewatt::counters::cupti {
namespace {

namespace fs = std::filesystem;

constexpr int kMajors[] = {13, 12};

std::string trusted_variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

/// "libcupti.so.13", the driver's first, then the name without a version.
std::vector<std::string> library_names(std::optional<int> major) {
  std::vector<std::string> names;
  if (major) names.push_back("libcupti.so." + std::to_string(*major));
  for (const int one : kMajors) {
    if (one != major) names.push_back("libcupti.so." + std::to_string(one));
  }
  names.emplace_back("libcupti.so");
  return names;
}

/// Folders in `folder` whose names begin with `prefix`, the highest name first.
std::vector<fs::path> folders_named(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(prefix)) found.push_back(at->path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

void add_toolkit(const fs::path& toolkit, std::vector<fs::path>& folders) {
  for (const auto* below : {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib",
                            "targets/sbsa-linux/lib"}) {
    folders.push_back(toolkit / below);
  }
}

/// Wheels of one Python environment: PREFIX/lib/python3.N/site-packages/nvidia/...
void add_wheels(const fs::path& prefix, std::vector<fs::path>& folders) {
  for (const auto& python : folders_named(prefix / "lib", "python3")) {
    for (const auto* packages : {"site-packages", "dist-packages"}) {
      folders.push_back(python / packages / "nvidia/cu13/lib");
      folders.push_back(python / packages / "nvidia/cuda_cupti/lib");
    }
  }
}

std::vector<fs::path> folders_of(const SearchPlaces& places) {
  std::vector<fs::path> folders;
  if (!places.cuda_home.empty()) add_toolkit(places.cuda_home, folders);
  for (const auto& toolkit : folders_named(places.root / "usr/local", "cuda")) {
    add_toolkit(toolkit, folders);
  }
  if (!places.virtual_env.empty()) add_wheels(places.virtual_env, folders);
  if (!places.conda.empty()) {
    folders.push_back(fs::path(places.conda) / "lib");
    add_wheels(places.conda, folders);
  }
  if (!places.home.empty()) add_wheels(fs::path(places.home) / ".local", folders);
  add_wheels(places.root / "usr/local", folders);
  add_wheels(places.root / "usr", folders);
  return folders;
}

}  // namespace

SearchPlaces places_of_process() {
  const auto cuda_home = trusted_variable("CUDA_HOME");
  return {.cuda_home = cuda_home.empty() ? trusted_variable("CUDA_PATH") : cuda_home,
          .virtual_env = trusted_variable("VIRTUAL_ENV"),
          .conda = trusted_variable("CONDA_PREFIX"),
          .home = trusted_variable("HOME")};
}

std::vector<std::string> cupti_candidates(const SearchPlaces& places, std::optional<int> major) {
  std::vector<std::string> candidates;
  const auto folders = folders_of(places);
  for (const auto& name : library_names(major)) {
    candidates.push_back(name);
    for (const auto& folder : folders) {
      std::error_code error;
      if (fs::exists(folder / name, error)) candidates.push_back((folder / name).string());
    }
  }
  return candidates;
}

}  // namespace truewatt::counters::cupti
