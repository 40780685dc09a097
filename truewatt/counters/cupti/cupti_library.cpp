#include "truewatt/counters/cupti/cupti_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <type_traits>

#include "truewatt/base/loader_reason.hpp"

namespace truewatt::counters::cupti {
namespace {

/// CUPTI opens this library by its bare name, which the loader finds only where it already is.
void open_companion(const std::string& path) {
  const std::filesystem::path file(path);
  if (!file.has_parent_path()) return;
  dlopen((file.parent_path() / "libnvperf_host.so").c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* open_file(const std::string& path, std::string& reasons) {
  open_companion(path);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* said = dlerror();
    reasons += "; " + loader_reason(said != nullptr ? said : "", path);
  }
  return handle;
}

/// The first function that the library lacks, or null.
const char* bind(void* handle, Functions& functions) {
  const char* missing = nullptr;
  for_each_entry_point(functions, [&](auto& entry) {
    using Call = decltype(entry.call);
    entry.call = reinterpret_cast<Call>(dlsym(handle, entry.name));
    if (entry.call == nullptr && missing == nullptr) missing = entry.name;
  });
  return missing;
}

Unexpected not_found(bool is_too_old, const std::string& reasons) {
  if (is_too_old) {
    return {Errc::unsupported,
            fmt::format("CUPTI is here but lacks the range profiler, which CUDA 12.6 brought; "
                        "install a later toolkit or `pip install nvidia-cuda-cupti-cu12`{}",
                        reasons)};
  }
  return {
      Errc::unavailable,
      fmt::format("CUPTI, which reads the GPU's counters, is not here; install the CUDA toolkit "
                  "(12.6 or later) or `pip install nvidia-cuda-cupti-cu12`, or set CUDA_HOME{}",
                  reasons)};
}

}  // namespace

Driver driver_of_process() {
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return {};
  Driver driver;
  const auto find = [handle](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
  };
  find(driver.version, "cuDriverGetVersion");
  find(driver.synchronize, "cuCtxSynchronize");
  find(driver.current_context, "cuCtxGetCurrent");
  find(driver.current_device, "cuCtxGetDevice");
  return driver;
}

std::optional<int> cuda_major(const Driver& driver) {
  int version = 0;
  if (driver.version == nullptr || driver.version(&version) != 0 || version < 1000) {
    return std::nullopt;
  }
  return version / 1000;
}

Result<std::shared_ptr<const Library>> Library::open(const std::vector<std::string>& candidates) {
  std::string reasons;
  bool is_too_old = false;
  for (const auto& candidate : candidates) {
    void* handle = open_file(candidate, reasons);
    if (handle == nullptr) continue;
    Functions functions;
    if (const char* missing = bind(handle, functions)) {
      is_too_old = true;
      reasons += fmt::format("; {} has no {}", candidate, missing);
      dlclose(handle);
      continue;
    }
    std::shared_ptr<Library> library(new Library(functions, candidate));
    library->result_string_ =
        reinterpret_cast<Status (*)(Status, const char**)>(dlsym(handle, "cuptiGetResultString"));
    const auto version =
        reinterpret_cast<Status (*)(std::uint32_t*)>(dlsym(handle, "cuptiGetVersion"));
    if (version != nullptr) version(&library->version_);
    return std::shared_ptr<const Library>(std::move(library));
  }
  return not_found(is_too_old, reasons);
}

std::shared_ptr<const Library> Library::adopt(const Functions& functions, std::string path) {
  return std::shared_ptr<const Library>(new Library(functions, std::move(path)));
}

std::string Library::name_of(Status status) const {
  const char* name = nullptr;
  if (result_string_ == nullptr || result_string_(status, &name) != kSuccess) return {};
  return name != nullptr ? name : "";
}

}  // namespace truewatt::counters::cupti
