#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/capture/recorder.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::capture {

/// Where the window may last for hours, at its begin: until the ticks are learned.
inline constexpr Nanoseconds kAttendAtFirst = std::chrono::milliseconds(900);

/// Samples several devices at once into a recorder. On a real clock each device has a thread of
/// its own and one more writes; on a virtual clock everything happens inside run_until, in order of
/// time. Sensors, clock and recorder must outlive it; between start() and stop() the recorder
/// belongs to the writer.
///
/// On a real clock a driver's call that does not return keeps neither start() nor stop(), which
/// wait kCallPatience for it: the thread in it is left behind (threads_left_behind()), the
/// recording ends where the call began, with a gap and an event that names the call. So what the
/// sensors use must stay as long as the process then: keep() what owns them.
class Capture {
 public:
  Capture(const std::vector<sensor::PowerSensor*>& sensors, Clock& clock, Recorder& recorder,
          const PollOptions& options = {});
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// One more device, polled its own way. Before start().
  void add(sensor::PowerSensor& sensor, const PollOptions& options);
  /// Keeps an owner of sensors or clock as long as a thread may use them. Before start().
  void keep(std::shared_ptr<const void> owner);
  /// Every publication between these times is to be seen whatever it costs: a window begins or ends
  /// there. Any time, any thread.
  void attend(HostTime from, HostTime until);
  /// Asks every source of every device once, then goes on sampling (real clock). Throws
  /// std::system_error where the system gives us no threads; nothing is sampled then.
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
  struct Sampling;
  struct Threads;

  void run_virtual(HostTime until, const std::stop_token& stop);
  void end_threads();
  void tell_of_calls(std::size_t device, bool hangs);

  Clock& clock_;
  Recorder& recorder_;
  std::shared_ptr<Sampling> sampling_;
  std::unique_ptr<Threads> threads_;
  bool running_ = false;
};

}  // namespace truewatt::capture
