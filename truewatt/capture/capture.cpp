#include "truewatt/capture/capture.hpp"

#include <algorithm>

namespace truewatt::capture {
namespace {

/// Records that may wait for the writer: an hour of an H200's samples.
constexpr std::size_t kQueueCapacity = 1 << 20;
/// The writer commits this often; a killed run loses no more.
constexpr std::chrono::milliseconds kCommitEvery{400};
/// Who waits for a time looks this often whether to stop.
constexpr Nanoseconds kStopLatency = std::chrono::milliseconds(50);
/// Nothing that a thread may have missed waits longer.
constexpr Nanoseconds kLongestSleep = std::chrono::seconds(1);

std::vector<SourceId> sources_of(const sensor::PowerSensor& sensor) {
  return sensor::answering_sources(sensor);
}

}  // namespace

Capture::Capture(const std::vector<sensor::PowerSensor*>& sensors, Clock& clock, Recorder& recorder,
                 const PollOptions& options)
    : clock_(clock), recorder_(recorder), queue_(kQueueCapacity) {
  recorder_.keep_near(&attention_);
  for (sensor::PowerSensor* sensor : sensors) add(*sensor, options);
}

void Capture::add(sensor::PowerSensor& sensor, const PollOptions& options) {
  const int device = recorder_.add_device(sensor.device(), sources_of(sensor));
  sinks_.push_back(
      std::make_unique<RecordSink>(device, [this](Record record) { deliver(std::move(record)); }));
  samplers_.emplace_back(sensor, clock_, *sinks_.back(), attention_, options);
  lost_.push_back(false);
}

Capture::~Capture() {
  stop();
  recorder_.keep_near(nullptr);
}

void Capture::attend(HostTime from, HostTime until) {
  attention_.add(from, until);
  for (const auto& alarm : alarms_) alarm->ring();
}

void Capture::deliver(Record record) {
  if (clock_.is_virtual() || !running_) {
    recorder_.apply(record);
  } else if (!queue_.put(std::move(record))) {
    overflowed_ = true;
  }
}

void Capture::start() {
  for (DeviceSampler& sampler : samplers_) sampler.begin();
  running_ = true;
  if (clock_.is_virtual()) return;
  writer_ = std::jthread([this] { write_until_closed(); });
  for (std::size_t i = 0; i < samplers_.size(); ++i) alarms_.push_back(std::make_unique<Alarm>());
  for (std::size_t i = 0; i < samplers_.size(); ++i) {
    threads_.emplace_back([this, i](const std::stop_token& stop) { sample(i, stop); });
  }
}

void Capture::sample(std::size_t device, const std::stop_token& stop) {
  DeviceSampler& sampler = samplers_[device];
  Alarm& alarm = *alarms_[device];
  const std::stop_callback wake(stop, [&alarm] { alarm.ring(); });
  while (!stop.stop_requested() && sampler.step(clock_.now())) {
    alarm.sleep_until(std::min(sampler.next_due(), clock_.now() + kLongestSleep), clock_);
  }
  sampler.finish();
}

void Capture::write_until_closed() {
  HostTime committed = clock_.now();
  for (bool open = true; open;) {
    open = !queue_.closed();
    const auto records = queue_.take_all(kCommitEvery);
    const std::scoped_lock lock(recorder_mutex_);
    for (const Record& record : records) recorder_.apply(record);
    if (!open || clock_.now() - committed >= kCommitEvery) {
      recorder_.commit();
      committed = clock_.now();
    }
  }
}

void Capture::run_until(HostTime until, const std::stop_token& stop) {
  if (!clock_.is_virtual()) {
    while (!stop.stop_requested() && clock_.now() < until) {
      clock_.sleep_until(std::min(until, clock_.now() + kStopLatency));
    }
    return;
  }
  // One device after the other would let the first one's calls eat the second one's time; the
  // earliest due goes first.
  while (clock_.now() < until && !stop.stop_requested()) {
    auto next = samplers_.end();
    for (auto sampler = samplers_.begin(); sampler != samplers_.end(); ++sampler) {
      if (lost_[static_cast<std::size_t>(sampler - samplers_.begin())]) continue;
      if (next == samplers_.end() || sampler->next_due() < next->next_due()) next = sampler;
    }
    if (next == samplers_.end()) {
      clock_.sleep_until(until);
    } else if (!next->step(until)) {
      lost_[static_cast<std::size_t>(next - samplers_.begin())] = true;
    }
  }
}

std::vector<Recording> Capture::so_far() const {
  const std::scoped_lock lock(recorder_mutex_);
  return recorder_.recordings();
}

void Capture::stop() {
  if (!running_) return;
  if (clock_.is_virtual()) {
    for (DeviceSampler& sampler : samplers_) sampler.finish();
    running_ = false;
    recorder_.commit();
    return;
  }
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::jthread& thread : threads_) thread.join();
  threads_.clear();
  queue_.close();
  writer_.join();
  running_ = false;
  if (overflowed_) {
    for (std::size_t i = 0; i < samplers_.size(); ++i) {
      recorder_.apply({static_cast<int>(i),
                       CaptureEvent{clock_.now(), EventKind::queue_overflow,
                                    "the disk was too slow for the samples; some were lost"}});
    }
  }
}

}  // namespace truewatt::capture
