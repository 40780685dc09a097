#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/sensor/nvml/nvml_abi.hpp"

namespace truewatt::sensor::nvml {

/// NVML's return code as an error: "GPU 0: nvmlDeviceGetPowerUsage failed with 4 (no permission):
/// ..." with what to do about it. `subject` is the device or library, `call` the function with its
/// distinguishing arguments. `code` must not be success.
Error describe(Return code, std::string_view subject, std::string_view call);

/// True for the codes after which nothing else will answer either until the GPU is reset.
bool means_gpu_lost(Return code);

/// A value whose type is only known at run time; nothing when the type is unknown to us.
std::optional<double> to_double(const Value& value, ValueType type);

}  // namespace truewatt::sensor::nvml
