#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/nvml_sim/configuration.hpp"
#include "truewatt/nvml_sim/simulated_device.hpp"

namespace truewatt::nvml_sim {

/// The devices of one process, as a driver with persistence keeps them: started by the first
/// nvmlInit and alive until the process ends or an nvmlInit finds another configuration. Safe to
/// call from several threads; a device that a call is using outlives such an nvmlInit.
class Driver {
 public:
  explicit Driver(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}

  /// Each successful init must be paired with a shutdown.
  Result<void> init(const ConfigurationText& text);
  /// False when there was nothing to shut down.
  bool shutdown();
  bool initialised() const;
  /// What the last failed init said.
  std::string last_error() const;

  std::size_t device_count() const;
  /// Null when there is none of that number.
  std::shared_ptr<SimulatedDevice> device(std::size_t index) const;
  /// The device that `handle` points to, or null: handles come from strangers.
  std::shared_ptr<SimulatedDevice> find(const void* handle) const;

  /// A MIG instance; its handle is the address of its UUID in its parent.
  struct Instance {
    std::shared_ptr<SimulatedDevice> parent;
    std::string uuid;
  };
  std::optional<Instance> find_instance(const void* handle) const;

 private:
  std::shared_ptr<Clock> clock_;
  mutable std::mutex mutex_;
  int users_ = 0;
  std::optional<ConfigurationText> text_;
  std::vector<std::shared_ptr<SimulatedDevice>> devices_;
  std::string last_error_;
};

}  // namespace truewatt::nvml_sim
