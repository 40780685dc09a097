#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::sensor {

/// The text of a small file of the kernel's. Errors: unavailable, permission, io.
using ReadText = std::function<Result<std::string>(const std::filesystem::path&)>;
Result<std::string> read_kernel_file(const std::filesystem::path& path);

/// One file of the kernel's that shows power or energy of a part of the host.
struct HostSource {
  SourceId source;  ///< an energy counter's file counts microjoules, any other's shows microwatts
  std::filesystem::path file;
  /// A counter begins again at 0 after so many microjoules; nothing: it never does.
  std::optional<std::uint64_t> range_uj;
  /// Why it is not read, where that is known beforehand: it refuses with this.
  std::optional<Error> broken;
};

/// Sentences on a socket's sources.
struct HostNotes {
  std::vector<std::string> facts;
  std::vector<std::string> not_read;  ///< meters beside them that are not read
};

/// One socket of the host behind the sensor seam, read from the kernel's files. A counter that
/// wraps goes on where it was, provided that it is asked at least once per wrap (RAPL: a quarter of
/// an hour at 300 W). There is no sample ring and no health. One thread at a time.
class HostSensor : public PowerSensor {
 public:
  /// Asks every source once.
  HostSensor(DeviceIdentity device, std::vector<HostSource> sources, HostNotes notes,
             ReadText read_text);

  const DeviceIdentity& device() const override { return device_; }
  const std::vector<SourceStatus>& sources() const override { return statuses_; }
  std::vector<std::string> notes() const override;
  std::vector<std::string> not_read() const override { return notes_.not_read; }
  Result<Reading> read(SourceId source) override;
  Result<std::vector<Reading>> drain(std::optional<DriverTime> since) override;
  Result<HealthSample> health() override { return HealthSample{}; }

 private:
  struct Counter {
    std::uint64_t last_uj = 0;
    std::uint64_t wrapped_uj = 0;  // by all wraps so far
  };
  Result<std::uint64_t> raw(const HostSource& source) const;

  DeviceIdentity device_;
  std::vector<HostSource> sources_;
  std::vector<Counter> counters_;  // by source
  std::vector<SourceStatus> statuses_;
  HostNotes notes_;
  ReadText read_text_;
};

}  // namespace truewatt::sensor
