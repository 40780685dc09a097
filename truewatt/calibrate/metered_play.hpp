#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "truewatt/base/units.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/sensor/meter/meter.hpp"

namespace truewatt::calibrate {

/// What is played while a meter reads; it ends early when its token asks for that.
using MeteredPlay = std::function<Result<void>(const std::stop_token& stop)>;

/// Readings of an external meter while `play` ran, on the host's axis: of a live one, or, where
/// `meter` is null, of one beside the set's only device, which is simulated then, under `seed`
/// (simulated_meter.hpp). The play's token is `stop`'s and ends when the meter fails, too. Errors:
/// those of the meter and of the play.
Result<trace::MeterTrace> metered(devices::DeviceSet& set, sensor::Meter* meter, std::uint64_t seed,
                                  const std::stop_token& stop, const MeteredPlay& play);

/// Gross joules of one of the executions in `window` by a meter's readings: all of them less what
/// the meter showed idle in the half second before, for as long as the `pause` between them, all
/// together. Errors: insufficient_data where a reading is missing before, after, or for more than
/// 50 ms. Pure.
Result<Joules> metered_execution(const trace::MeterTrace& meter, const Window& window,
                                 int executions, Seconds pause);

}  // namespace truewatt::calibrate
