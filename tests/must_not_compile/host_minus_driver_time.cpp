// The driver's REALTIME stamps and the host's MONOTONIC times have no difference.
// error: no match for 'operator-'
// error: invalid operands to binary expression
#include "truewatt/base/time.hpp"

using namespace truewatt;
#ifdef MUST_NOT_COMPILE
Nanoseconds difference(HostTime host, DriverTime driver) { return host - driver; }
#else
Nanoseconds difference(HostTime host, HostTime earlier) { return host - earlier; }
#endif
