#include "truewatt/capture/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "truewatt/capture/sampling.hpp"
#include "truewatt/capture/within.hpp"

namespace truewatt::capture {
namespace {

/// The writer commits this often; a killed run loses no more.
constexpr std::chrono::milliseconds kCommitEvery{400};
/// Who waits for a time looks this often whether to stop.
constexpr Nanoseconds kStopLatency = std::chrono::milliseconds(50);
/// A driver's call is named when it took longer: no driver needs that when it is well.
constexpr Nanoseconds kSlowCall = std::chrono::seconds(1);

/// Ends each trace of a device where its source last answered before its thread waited in vain,
/// from `since` on, with a gap from there to `now`.
std::vector<Record> cut_off(int number, const Recording& recording, const WatchedSensor& sensor,
                            HostTime since, HostTime now) {
  std::vector<Record> records;
  for (const Trace& trace : recording.traces) {
    const auto answers = sensor.answers(trace.source);
    const HostTime end = answers.count > 0 ? answers.last : since;
    HostTime begin = trace.samples.empty() ? end : trace.samples.front().before;
    if (trace.polls > 0) begin = trace.begin;
    records.push_back({number, SourcePolled{trace.source, begin, end, answers.count}});
    records.push_back(
        {number, SourceGap{trace.source, {end, now, std::string(to_string(Errc::timed_out))}}});
  }
  return records;
}

}  // namespace

/// The threads of a capture on a real clock: one a device, and the writer.
struct Capture::Threads {
  explicit Threads(Recorder& the_recorder, Capture::Sampling& shared)
      : recorder(the_recorder), sampling(shared) {}

  void write_until_closed();
  void write(const std::deque<Record>& records);

  Recorder& recorder;
  Sampling& sampling;
  mutable std::mutex mutex;  ///< held by the writer while it applies records
  std::vector<std::jthread> samplers;
  std::jthread writer;
};

void Capture::Threads::write(const std::deque<Record>& records) {
  try {
    for (const Record& record : records) recorder.apply(record);
  } catch (const std::bad_alloc&) {
    sampling.overflowed = true;
  }
}

void Capture::Threads::write_until_closed() {
  HostTime committed = sampling.clock.now();
  for (bool open = true; open;) {
    open = !sampling.queue.closed();
    const auto records = sampling.queue.take_all(kCommitEvery);
    const std::scoped_lock lock(mutex);
    write(records);
    if (!open || sampling.clock.now() - committed >= kCommitEvery) {
      recorder.commit();
      committed = sampling.clock.now();
    }
  }
}

Capture::Capture(const std::vector<sensor::PowerSensor*>& sensors, Clock& clock, Recorder& recorder,
                 const PollOptions& options)
    : clock_(clock),
      recorder_(recorder),
      sampling_(std::make_shared<Sampling>(clock, recorder)),
      threads_(std::make_unique<Threads>(recorder, *sampling_)) {
  recorder_.keep_near(&sampling_->attention);
  for (sensor::PowerSensor* sensor : sensors) add(*sensor, options);
}

void Capture::add(sensor::PowerSensor& sensor, const PollOptions& options) {
  const int number = recorder_.add_device(sensor.device(), sensor::answering_sources(sensor));
  Sampling* sampling = sampling_.get();
  sampling_->devices.emplace_back(
      sensor, clock_, number, [sampling](Record record) { sampling->deliver(std::move(record)); },
      sampling_->attention, options);
}

void Capture::keep(std::shared_ptr<const void> owner) {
  sampling_->kept.push_back(std::move(owner));
}

Capture::~Capture() {
  stop();
  recorder_.keep_near(nullptr);
}

void Capture::attend(HostTime from, HostTime until) {
  sampling_->attention.add(from, until);
  for (SampledDevice& device : sampling_->devices) device.alarm.ring();
}

void Capture::start() {
  running_ = true;
  if (clock_.is_virtual()) {
    for (SampledDevice& device : sampling_->devices) device.sampler.begin();
    return;
  }
  threads_->writer = std::jthread([threads = threads_.get()] { threads->write_until_closed(); });
  for (std::size_t i = 0; i < sampling_->devices.size(); ++i) {
    threads_->samplers.emplace_back(
        [sampling = sampling_, i](const std::stop_token& stop) { sampling->sample(i, stop); });
  }
  sampling_->wait_for(Progress::sampling, threads_->samplers.size());
}

void Capture::run_until(HostTime until, const std::stop_token& stop) {
  if (clock_.is_virtual()) return run_virtual(until, stop);
  while (!stop.stop_requested() && clock_.now() < until) {
    clock_.sleep_until(std::min(until, clock_.now() + kStopLatency));
  }
}

/// One device after the other would let the first one's calls eat the second one's time; the
/// earliest due goes first.
void Capture::run_virtual(HostTime until, const std::stop_token& stop) {
  while (clock_.now() < until && !stop.stop_requested()) {
    SampledDevice* next = nullptr;
    for (SampledDevice& device : sampling_->devices) {
      if (device.lost) continue;
      if (next == nullptr || device.sampler.next_due() < next->sampler.next_due()) next = &device;
    }
    if (next == nullptr) {
      clock_.sleep_until(until);
    } else {
      next->lost = !next->sampler.step(until);
    }
  }
}

std::vector<Recording> Capture::so_far() const {
  const std::scoped_lock lock(threads_->mutex);
  return recorder_.recordings();
}

void Capture::stop() {
  if (!running_) return;
  running_ = false;
  if (!clock_.is_virtual()) return end_threads();
  for (SampledDevice& device : sampling_->devices) device.sampler.finish();
  recorder_.commit();
}

void Capture::end_threads() {
  for (std::jthread& thread : threads_->samplers) thread.request_stop();
  sampling_->wait_for(Progress::ended, threads_->samplers.size());
  std::vector<bool> hangs(threads_->samplers.size(), false);
  for (std::size_t i = 0; i < hangs.size(); ++i) {
    hangs[i] = !sampling_->has_ended(i);
    if (hangs[i]) leave_behind(std::move(threads_->samplers[i]));
  }
  threads_->samplers.clear();
  sampling_->queue.close();
  if (threads_->writer.joinable()) threads_->writer.join();
  for (std::size_t i = 0; i < hangs.size(); ++i) tell_of_calls(i, hangs[i]);
  recorder_.commit();
}

void Capture::tell_of_calls(std::size_t index, bool hangs) {
  const int number = static_cast<int>(index);
  SampledDevice& device = sampling_->devices[index];
  const std::string& name = device.sensor.device().name;
  const HostTime now = clock_.now();
  const auto say = [&](HostTime time, EventKind kind, std::string message) {
    recorder_.apply({number, CaptureEvent{time, kind, std::move(message)}});
  };
  if (hangs) {
    const DriverCall call = device.sensor.pending().value_or(DriverCall{"its thread", now});
    for (const Record& record :
         cut_off(number, recorder_.recordings()[index], device.sensor, call.begin, now)) {
      recorder_.apply(record);
    }
    say(call.begin, EventKind::driver_hangs,
        fmt::format("{}: {} has not returned for {:.1f} s; what it measured ends there. `dmesg` "
                    "may show an Xid, and resetting the GPU may help",
                    name, call.name, Seconds(call.took).count()));
  } else if (const auto longest = device.sensor.longest(); longest && longest->took > kSlowCall) {
    say(longest->begin, EventKind::driver_slow,
        fmt::format("{}: {} took {:.1f} s; such a driver shows little of the power", name,
                    longest->name, Seconds(longest->took).count()));
  }
  const auto refused = device.sensor.refusals();
  if (refused && refused->first.code != Errc::device) {
    say(now, EventKind::answers_refused,
        fmt::format("{} ({} refusals)", refused->first.message, refused->count));
  }
  if (!hangs && !device.failure.empty()) {
    say(now, EventKind::samples_lost, name + ": sampling ended early: " + device.failure);
  }
  if (sampling_->overflowed) {
    say(now, EventKind::queue_overflow,
        "the disk was too slow for the samples, or memory was short; some were lost");
  }
}

}  // namespace truewatt::capture
