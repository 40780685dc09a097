#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/cupti/cupti_abi.hpp"

namespace truewatt::counters::cupti {

/// What a call's failure means and what to do: "cuptiRangeProfilerStart: CUPTI_ERROR_... (26):
/// ...". `library` is the path of the library that answered; `own_name` what it calls the status,
/// for those that are not known here. Pure.
Error describe(Status status, std::string_view call, std::string_view library,
               std::string_view own_name = {});

/// Why a device's counters cannot be read, from the flags of cuptiProfilerDeviceSupported; success
/// where they can. Pure.
Result<void> check_support(const DeviceSupported& device);

}  // namespace truewatt::counters::cupti
