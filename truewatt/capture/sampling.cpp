#include "truewatt/capture/sampling.hpp"

#include <algorithm>

#include "truewatt/capture/within.hpp"

namespace truewatt::capture {
namespace {

/// Records that may wait for the writer: an hour of an H200's samples.
constexpr std::size_t kQueueCapacity = 1 << 20;
/// Nothing that a thread may have missed waits longer.
constexpr Nanoseconds kLongestSleep = std::chrono::seconds(1);

}  // namespace

Capture::Sampling::Sampling(Clock& the_clock, Recorder& the_recorder)
    : clock(the_clock),
      recorder(the_clock.is_virtual() ? &the_recorder : nullptr),
      queue(kQueueCapacity) {}

void Capture::Sampling::deliver(Record record) {
  if (recorder != nullptr) {
    recorder->apply(record);
  } else if (!queue.put(std::move(record))) {
    overflowed = true;
  }
}

void Capture::Sampling::sample(std::size_t number, const std::stop_token& stop) {
  SampledDevice& device = devices[number];
  const std::stop_callback wake(stop, [&device] { device.alarm.ring(); });
  try {
    device.sampler.begin();
    reach(device, Progress::sampling);
    while (!stop.stop_requested() && device.sampler.step(clock.now())) {
      device.alarm.sleep_until(std::min(device.sampler.next_due(), clock.now() + kLongestSleep),
                               clock);
    }
    device.sampler.finish();
  } catch (const std::exception& error) {  // out of memory
    const std::scoped_lock lock(mutex);
    device.failure = error.what();
  }
  reach(device, Progress::ended);
}

void Capture::Sampling::reach(SampledDevice& device, Progress progress) {
  {
    const std::scoped_lock lock(mutex);
    device.progress = progress;
  }
  came_further.notify_all();
}

void Capture::Sampling::wait_for(Progress progress, std::size_t count) {
  std::unique_lock lock(mutex);
  came_further.wait_for(lock, kCallPatience, [&] {
    return std::all_of(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](const SampledDevice& device) { return device.progress >= progress; });
  });
}

bool Capture::Sampling::has_ended(std::size_t device) {
  const std::scoped_lock lock(mutex);
  return devices[device].progress == Progress::ended;
}

}  // namespace truewatt::capture
