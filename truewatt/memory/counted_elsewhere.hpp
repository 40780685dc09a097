#pragma once

#include <functional>
#include <memory>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/counters.hpp"
#include "truewatt/devices/device_set.hpp"

namespace truewatt::memory {

/// What another process needs to make the launches that are counted.
struct CountedPlan {
  double l1_bytes = 0.0;
  double l2_bytes = 0.0;
  bool products = false;
  int compute_capability = 0;
};

/// Counters that had such a process counted, from outside.
using CountElsewhere =
    std::function<Result<std::unique_ptr<counters::Counters>>(const CountedPlan&)>;

/// The plan of another process for the set's one device, with products: its caches by time. Errors:
/// those of the load.
Result<CountedPlan> plan_what_is_counted(devices::DeviceSet& set,
                                         const devices::Environment& environment);

/// For the other process: makes every launch that measure_memory() counts behind the caches, in its
/// order, and marks it. Measures nothing. Returns how many they were. Errors: those of the device
/// and of the marks.
Result<std::size_t> launch_what_is_counted(devices::DeviceSet& set,
                                           const devices::Environment& environment,
                                           counters::Counters& marks, const CountedPlan& plan);

}  // namespace truewatt::memory
