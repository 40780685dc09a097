#pragma once

#include <string_view>
#include <type_traits>

#include "truewatt/nvml_sim/driver.hpp"
#include "truewatt/nvml_sim/nvml_types.hpp"

/// Marks the functions that the library exports; everything else in it is hidden.
#define TRUEWATT_NVML_EXPORT extern "C" __attribute__((visibility("default")))

namespace truewatt::nvml_sim {

/// A handle as clients hold it: the address of a SimulatedDevice, checked at every use.
using Handle = void*;

/// The process's devices, on the real clock.
Driver& driver();

/// The NVML code for an error of the simulation.
Return code_of(const Error& error);

/// Text into a caller's buffer of `size` characters.
Return copy_text(std::string_view text, char* out, unsigned int size);

/// `value` to where the caller wants it; a null pointer is its mistake.
template <class Value>
Return give(std::type_identity_t<Value> value, Value* out) {
  if (out == nullptr) return kInvalidArgument;
  *out = value;
  return kSuccess;
}

/// Runs `body` on the device of a handle, after the checks that every NVML call begins with.
template <class Body>
Return on_device(Handle handle, Body body) {
  if (!driver().initialised()) return kUninitialized;
  const auto device = driver().find(handle);
  return device == nullptr ? kInvalidArgument : body(*device);
}

/// The same for calls that need the device's state now; a lost GPU fails here.
template <class Body>
Return on_state(Handle handle, Body body) {
  return on_device(handle, [&](SimulatedDevice& device) {
    const auto state = device.state();
    return state ? body(device, *state) : code_of(state.error());
  });
}

/// For what simulated boards do not have: the handle is still checked.
inline Return not_supported(Handle handle) {
  return on_device(handle, [](SimulatedDevice&) { return kNotSupported; });
}

}  // namespace truewatt::nvml_sim
