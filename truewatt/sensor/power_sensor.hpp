#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::sensor {

/// A source that a device was asked for, and what it answered.
struct SourceStatus {
  SourceId source;
  std::optional<Error> refusal;  ///< absent: it answers; the message says why not and what to do
  bool answers() const { return !refusal; }
};

/// Why there is no value, where there is none.
template <class T>
std::optional<Error> refusal_of(const Result<T>& answer) {
  if (answer) return std::nullopt;
  return answer.error();
}

/// One value as the driver handed it out; when it was asked is the caller's business.
struct Reading {
  double value = 0.0;               ///< watts; joules for an energy counter
  std::optional<DriverTime> stamp;  ///< the driver's own stamp, where it gives one
};

/// The seam to one device's power sensor. Units are SI on this side. Calls may block for
/// milliseconds; one thread at a time per object, different objects in parallel.
class PowerSensor {
 public:
  virtual ~PowerSensor() = default;

  virtual const DeviceIdentity& device() const = 0;
  /// Every source that this kind of sensor knows, with what the device answered when asked.
  virtual const std::vector<SourceStatus>& sources() const = 0;
  /// Facts the reader of a number must know: "MIG instance: its parent GPU is measured", ...
  virtual std::vector<std::string> notes() const { return {}; }
  /// Those of the notes that say which meters beside it are not read.
  virtual std::vector<std::string> not_read() const { return {}; }
  /// How a GPU in MIG mode is cut; nothing for any other device.
  virtual std::optional<MigMode> mig() const { return std::nullopt; }

  /// The latest value of `source` (not of power.samples).
  virtual Result<Reading> read(SourceId source) = 0;
  /// Entries of the driver's sample ring newer than `since` (all of it without), oldest first, each
  /// with its stamp. An empty list is a success.
  virtual Result<std::vector<Reading>> drain(std::optional<DriverTime> since) = 0;
  /// Utilisation, clocks, temperature and so on; `time` is left for the caller.
  virtual Result<HealthSample> health() = 0;
};

/// The sources of `sensor` that answer.
std::vector<SourceId> answering_sources(const PowerSensor& sensor);

/// What a reader of numbers from a GPU in MIG mode must know.
std::string whole_gpu_note(const MigMode& mig);

}  // namespace truewatt::sensor
