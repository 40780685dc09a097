#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/capture/alarm.hpp"
#include "truewatt/capture/bounded_queue.hpp"
#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/device_sampler.hpp"
#include "truewatt/capture/watched_sensor.hpp"

namespace truewatt::capture {

/// How far a device's thread has come.
enum class Progress { starting, sampling, ended };

/// One device of a capture and everything that its thread uses.
struct SampledDevice {
  SampledDevice(sensor::PowerSensor& inner, Clock& clock, int number, RecordSink::Deliver deliver,
                const Attention& attention, const PollOptions& options)
      : sensor(inner, clock),
        sink(number, std::move(deliver)),
        sampler(sensor, clock, sink, attention, options) {}

  WatchedSensor sensor;
  RecordSink sink;
  DeviceSampler sampler;
  Alarm alarm;
  bool lost = false;                       ///< on a virtual clock
  Progress progress = Progress::starting;  ///< under Sampling::mutex
  std::string failure;                     ///< why the thread ended early; under Sampling::mutex
};

/// What the threads of a capture share. Each of them owns it: one that is left behind in a driver's
/// call finds everything in place when that returns.
struct Capture::Sampling {
  Sampling(Clock& the_clock, Recorder& the_recorder);

  /// From any sampling thread; on a virtual clock from the only one there is.
  void deliver(Record record);
  /// The whole life of a device's thread.
  void sample(std::size_t device, const std::stop_token& stop);
  /// Waits until the first `count` devices have come so far, for kCallPatience at most.
  void wait_for(Progress progress, std::size_t count);
  bool has_ended(std::size_t device);

  Clock& clock;
  Recorder* recorder;  ///< on a virtual clock; else records go through the queue
  Attention attention;
  std::deque<SampledDevice> devices;
  BoundedQueue<Record> queue;
  std::atomic<bool> overflowed = false;
  std::mutex mutex;
  std::condition_variable came_further;
  std::vector<std::shared_ptr<const void>> kept;

 private:
  void reach(SampledDevice& device, Progress progress);
};

}  // namespace truewatt::capture
