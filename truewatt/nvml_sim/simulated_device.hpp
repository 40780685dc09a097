#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/device.hpp"
#include "truewatt/nvml_sim/background_load.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::nvml_sim {

/// A simulated GPU that lives on a clock: what a driver's client gets when it asks now. Calls take
/// as long as the description says. Several threads may call; they wait for each other as they do
/// for a driver.
class SimulatedDevice {
 public:
  /// Started now.
  SimulatedDevice(DeviceDescription description, std::uint64_t seed,
                  std::optional<BackgroundLoad> load, int index, std::shared_ptr<Clock> clock);

  const DeviceDescription& description() const { return gpu_.description(); }
  const DeviceIdentity& identity() const { return identity_; }
  /// Its MIG instances, whose UUIDs never move; nothing where MIG mode is off.
  const std::optional<MigMode>& mig() const { return mig_; }
  bool has(SourceId source) const;

  /// Watts or joules.
  Result<double> read(SourceId source);

  struct Entry {
    std::uint64_t stamp_us = 0;  ///< REALTIME, as drivers stamp
    double watts = 0.0;
  };
  /// Entries of the sample ring stamped later than `since_us`, oldest first.
  Result<std::vector<Entry>> ring(std::uint64_t since_us);

  Result<simgpu::SimulatedGpu::State> state();

  /// REALTIME now, microseconds.
  std::uint64_t realtime_us() const;

 private:
  double seconds_since_start();
  std::uint64_t stamp_us(double stamp);
  /// Of the entries handed out, the newest stamped no later than `since_us`.
  double newest_stamp_until(std::uint64_t since_us) const;

  std::shared_ptr<Clock> clock_;
  HostTime origin_;
  DeviceIdentity identity_;
  const std::optional<MigMode> mig_;
  std::mutex mutex_;
  simgpu::SimulatedGpu gpu_;
  BackgroundPlayer player_;
  std::map<double, std::uint64_t> stamps_;  // of entries handed out
};

/// Who the simulated device says it is: its name says that it is simulated.
DeviceIdentity identity_of(const DeviceDescription& description, int index);

}  // namespace truewatt::nvml_sim
