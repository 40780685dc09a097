#pragma once

#include <stop_token>

#include "truewatt/base/clock.hpp"

namespace truewatt::load {

/// Returns at `until`, or within 50 ms of a request to stop. Sleeps but for the last 100 us, which
/// are spun: sleepers wake late by about as much.
void wait_until(Clock& clock, HostTime until, const std::stop_token& stop);

}  // namespace truewatt::load
