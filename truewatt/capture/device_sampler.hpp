#pragma once

#include <optional>
#include <span>
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
/// long that they keep to PollOptions::expensive_share, a power source only beside a sample ring or
/// an energy counter; a counter is read at a tick once a second, or as often as
/// PollOptions::counter_share lets it. One thread; sensor, clock, sink and attention must outlive
/// it.
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

 private:
  void poll(SourcePoller& poller);
  void poll_due(HostTime now);
  bool may_rest(const SourcePoller& poller) const;
  void consider_rest(SourcePoller& poller, HostTime now);
  double sharing(bool counters) const;
  bool is_plain(const SourcePoller& poller) const;
  Nanoseconds rest_of_power(const SourcePoller& poller, HostTime now) const;
  Nanoseconds rest_of_counter(const SourcePoller& poller) const;
  void drain();
  void note_drain_loss(const Sample& oldest);
  void once_a_second(HostTime now);
  ClockPair clock_pair() const;
  void take_clock_pair();
  bool realtime_stepped(const ClockPair& pair);
  void learn_ring(std::span<const Sample> samples);
  void look_at_health(HostTime now);
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
  bool ring_known_ = false;    // its length
  bool ring_stepped_ = false;  // REALTIME was set since the last drain
  Nanoseconds ring_length_{0};
  Nanoseconds ring_interval_{0};
  Nanoseconds ring_period_{0};
  HostTime next_drain_;
  std::uint64_t drains_ = 0;
  HostTime next_second_;
  HostTime began_;
  HostTime next_health_;
  bool store_health_ = true;
  std::optional<std::uint64_t> limits_;  // clocks-event reasons when health was last stored
  std::optional<Nanoseconds> realtime_offset_;
  bool lost_ = false;
  HostTime lost_at_;
};

}  // namespace truewatt::capture
