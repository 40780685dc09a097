#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/capture/attention.hpp"
#include "truewatt/capture/sample_sink.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::capture {

/// Samples every source of one device: polls each when its poller says so, drains the driver's
/// sample ring well before it wraps, and once a second takes health and a clock pair. Sleeps on the
/// clock in between. Where no window begins or ends, expensive sources rest after each tick for so
/// long that they keep to PollOptions::expensive_share; a power source does so only beside a sample
/// ring or an energy counter. One thread; sensor, clock, sink and attention must outlive it.
class DeviceSampler {
 public:
  DeviceSampler(sensor::PowerSensor& sensor, Clock& clock, SampleSink& sink,
                const Attention& attention, const PollOptions& options = {});

  /// Asks every source once: what is there at the start. Call before anything else runs.
  void begin();
  /// Sleeps until the next thing is due, but not beyond `until`, and does it. Returns false when
  /// the device is lost: nothing will ever come again.
  bool step(HostTime until);
  /// Takes what is still to be had (unconfirmed samples, the ring's rest) and reports the polls.
  void finish();

  /// When the next thing is due.
  HostTime next_due() const;
  /// The longest known update period; how long a tail may have to be waited for.
  std::optional<Seconds> longest_period() const;

 private:
  void poll(SourcePoller& poller);
  void poll_due(HostTime now);
  bool may_rest(const SourcePoller& poller) const;
  void consider_rest(SourcePoller& poller, HostTime now);
  void drain();
  void note_drain_loss(const Sample& oldest);
  void once_a_second(HostTime now);
  void take_clock_pair();
  void fail(SourceId source, const Error& error, HostTime begin, HostTime end);
  void report_polled();

  sensor::PowerSensor& sensor_;
  Clock& clock_;
  SampleSink& sink_;
  const Attention& attention_;
  PollOptions options_;
  std::vector<SourcePoller> pollers_;
  bool has_ring_ = false;
  bool has_counter_ = false;
  std::optional<Sample> newest_in_ring_;
  Nanoseconds ring_interval_{0};
  Nanoseconds ring_period_{0};
  HostTime next_drain_;
  std::uint64_t drains_ = 0;
  HostTime next_second_;
  HostTime began_;
  std::vector<std::pair<SourceId, HostTime>> failing_since_;
  bool lost_ = false;
  HostTime lost_at_;
};

}  // namespace truewatt::capture
