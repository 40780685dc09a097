#pragma once

#include <vector>

#include "truewatt/capture/capture.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/aggregate/node_energy.hpp"

namespace truewatt::measure {

/// Polls the set's host, if it has one, beside its devices: every source once in 20 ms, which is
/// often enough for counters that wrap after minutes, and cheap. Before the capture's start.
void capture_host(const devices::DeviceSet& set, capture::Capture& capture);

/// What the node took in the window, once recording has ended: the estimates of the set's devices,
/// in their order, and those of its host, which must have been captured after them. Keeps the
/// latter and the window in the run file. The set has a host.
energy::NodeEnergy node_of(devices::DeviceSet& set, capture::Recorder& recorder,
                           const std::vector<energy::EnergyEstimate>& estimates,
                           const Window& window, double resolve);

}  // namespace truewatt::measure
