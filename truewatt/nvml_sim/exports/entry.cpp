#include "truewatt/nvml_sim/exports/entry.hpp"

#include <cstring>

#include "truewatt/clock/system_clock.hpp"

namespace truewatt::nvml_sim {

Driver& driver() {
  static Driver instance(std::make_shared<SystemClock>());
  return instance;
}

Return code_of(const Error& error) {
  switch (error.code) {
    case Errc::unsupported:
      return kNotSupported;
    case Errc::permission:
      return kNoPermission;
    case Errc::timed_out:
      return kTimeout;
    case Errc::device:
      return kGpuIsLost;
    case Errc::unavailable:
      return kNotFound;
    case Errc::invalid_argument:
      return kInvalidArgument;
    default:
      return kUnknown;
  }
}

Return copy_text(std::string_view text, char* out, unsigned int size) {
  if (out == nullptr) return kInvalidArgument;
  if (text.size() >= size) return kInsufficientSize;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return kSuccess;
}

}  // namespace truewatt::nvml_sim
