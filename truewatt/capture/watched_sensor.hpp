#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "truewatt/base/clock.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::capture {

/// A call of a driver: which, since when, for how long so far or in all.
struct DriverCall {
  std::string name;
  HostTime begin;
  Nanoseconds took{0};
};

/// The first refusal of a device, and how many there were.
struct Refusals {
  Error first;
  std::uint64_t count = 0;
};

/// A sensor that says from outside which call of another one has not returned yet, and what it
/// refused. What PowerSensor has is for one thread; the rest is for any.
class WatchedSensor : public sensor::PowerSensor {
 public:
  WatchedSensor(sensor::PowerSensor& inner, const Clock& clock) : inner_(inner), clock_(clock) {}

  const DeviceIdentity& device() const override { return inner_.device(); }
  const std::vector<sensor::SourceStatus>& sources() const override { return inner_.sources(); }
  std::vector<std::string> notes() const override { return inner_.notes(); }
  std::vector<std::string> not_read() const override { return inner_.not_read(); }
  std::optional<MigMode> mig() const override { return inner_.mig(); }
  Result<sensor::Reading> read(SourceId source) override;
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime> since) override;
  Result<HealthSample> health() override;

  /// The call that somebody waits for now.
  std::optional<DriverCall> pending() const;
  /// The call that took longest of those that have returned.
  std::optional<DriverCall> longest() const;
  /// How often a source has answered, and when it was asked last of these times.
  struct Answers {
    std::uint64_t count = 0;
    HostTime last;
  };
  Answers answers(SourceId source) const;
  /// Sources that did not answer when asked.
  std::optional<Refusals> refusals() const;

 private:
  /// What is asked: a source, or nothing for the device's health.
  struct Asked {
    std::optional<SourceId> source;
    HostTime begin;
    Nanoseconds took{0};
  };
  template <class Call>
  auto watched(std::optional<SourceId> source, const Call& call);
  std::optional<DriverCall> named(const std::optional<Asked>& asked) const;

  sensor::PowerSensor& inner_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::optional<Asked> pending_;
  std::optional<Asked> longest_;
  std::optional<Refusals> refusals_;
  std::map<SourceId, Answers> answers_;
};

}  // namespace truewatt::capture
