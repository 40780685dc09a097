#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/capture/alarm.hpp"
#include "truewatt/capture/bounded_queue.hpp"
#include "truewatt/capture/device_sampler.hpp"
#include "truewatt/capture/recorder.hpp"

namespace truewatt::capture {

/// Where the window may last for hours, at its begin: until the ticks are learned.
inline constexpr Nanoseconds kAttendAtFirst = std::chrono::milliseconds(900);

/// Samples several devices at once into a recorder. On a real clock each device has a thread of
/// its own and one more writes; on a virtual clock everything happens inside run_until, in order of
/// time. Sensors, clock and recorder must outlive it; between start() and stop() the recorder
/// belongs to the writer.
class Capture {
 public:
  Capture(const std::vector<sensor::PowerSensor*>& sensors, Clock& clock, Recorder& recorder,
          const PollOptions& options = {});
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// One more device, polled its own way. Before start().
  void add(sensor::PowerSensor& sensor, const PollOptions& options);
  /// Every publication between these times is to be seen whatever it costs: a window begins or ends
  /// there. Any time, any thread.
  void attend(HostTime from, HostTime until);
  /// Asks every source of every device once, then goes on sampling (real clock).
  void start();
  /// Samples (virtual clock) or lets the threads sample (real clock) until then. Returns early
  /// when `stop` asks for it.
  void run_until(HostTime until, const std::stop_token& stop = {});
  /// A copy of what was recorded so far; samples of the last moment may still be on their way. Any
  /// time.
  std::vector<Recording> so_far() const;
  /// Ends sampling and writes out everything. Called by the destructor otherwise.
  void stop();

 private:
  void sample(std::size_t device, const std::stop_token& stop);
  void write_until_closed();
  void deliver(Record record);

  Clock& clock_;
  Recorder& recorder_;
  Attention attention_;
  std::vector<std::unique_ptr<RecordSink>> sinks_;
  std::vector<DeviceSampler> samplers_;
  std::vector<bool> lost_;
  BoundedQueue<Record> queue_;
  mutable std::mutex recorder_mutex_;           // held by the writer while it applies records
  std::vector<std::unique_ptr<Alarm>> alarms_;  // one per thread
  std::vector<std::jthread> threads_;
  std::jthread writer_;
  std::atomic<bool> overflowed_ = false;
  bool running_ = false;
};

}  // namespace truewatt::capture
