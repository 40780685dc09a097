// A driver stamp becomes a host time through ClockAlignment only.
// error: could not convert 'stamp' from
// error: no viable conversion from returned value
#include "truewatt/base/clock_alignment.hpp"

using namespace truewatt;
#ifdef MUST_NOT_COMPILE
std::optional<HostTime> host_time(const ClockAlignment&, DriverTime stamp) { return stamp; }
#else
std::optional<HostTime> host_time(const ClockAlignment& alignment, DriverTime stamp) {
  return alignment.to_host(stamp);
}
#endif
