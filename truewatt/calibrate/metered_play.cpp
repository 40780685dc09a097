#include "truewatt/calibrate/metered_play.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "truewatt/calibrate/simulated_meter.hpp"
#include "truewatt/capture/meter_capture.hpp"

namespace truewatt::calibrate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kIdleBefore = 500ms;
/// A line between two readings so far apart hides the edges of what ran.
constexpr Nanoseconds kLongestHole = 50ms;

/// Between two readings from the last one before `begin` to the first one after `end`, which there
/// are.
Nanoseconds longest_hole(const trace::MeterTrace& meter, HostTime begin, HostTime end) {
  Nanoseconds longest{0};
  const auto before = [](const trace::MeterSample& one, HostTime time) { return one.time < time; };
  const auto& samples = meter.samples;
  for (auto next = std::lower_bound(samples.begin(), samples.end(), begin, before);
       next != samples.end(); ++next) {
    if (next != samples.begin()) longest = std::max(longest, next->time - std::prev(next)->time);
    if (next->time >= end) break;
  }
  return longest;
}

Result<trace::MeterTrace> beside_live_meter(sensor::Meter& meter, const std::stop_token& stop,
                                            const MeteredPlay& play) {
  // Without the meter the rest of the play is in vain.
  std::stop_source ended;
  const std::stop_callback pass_on(stop, [&ended] { ended.request_stop(); });
  std::atomic<bool> failed = false;
  capture::MeterCapture metering(meter);
  const auto started = metering.start([&] {
    failed = true;
    ended.request_stop();
  });
  if (!started) return Unexpected(started.error());
  const auto played = play(ended.get_token());
  auto readings = metering.stop();
  if (!played && !failed) return Unexpected(played.error());
  return readings;
}

}  // namespace

Result<trace::MeterTrace> metered(devices::DeviceSet& set, sensor::Meter* meter, std::uint64_t seed,
                                  const std::stop_token& stop, const MeteredPlay& play) {
  if (meter != nullptr) return beside_live_meter(*meter, stop, play);
  const HostTime begin = set.clock->now();
  if (const auto played = play(stop); !played) return Unexpected(played.error());
  return simulated_meter(*set.devices.front().simulated, set.origin, begin, set.clock->now(), seed);
}

Result<Joules> metered_execution(const trace::MeterTrace& meter, const Window& window,
                                 int executions, Seconds pause) {
  const HostTime idle = pause > Seconds(0) ? window.begin - kIdleBefore : window.begin;
  const auto before = trace::meter_energy(meter, idle, window.begin);
  const auto all = trace::meter_energy(meter, window.begin, window.end);
  if (!before || !all) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("no reference: the {} did not read all the time", meter.meter));
  }
  const Nanoseconds hole = longest_hole(meter, idle, window.end);
  if (hole > kLongestHole) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("no reference: the {} has no reading for {:.0f} ms", meter.meter,
                                  1e3 * Seconds(hole).count()));
  }
  const double idle_w = before->value() / Seconds(kIdleBefore).count();
  return Joules((all->value() - idle_w * pause.count()) / executions);
}

}  // namespace truewatt::calibrate
