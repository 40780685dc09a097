// Times of different clocks have no order.
// error: no match for 'operator<'
// error: invalid operands to binary expression
#include "truewatt/base/time.hpp"

using namespace truewatt;
#ifdef MUST_NOT_COMPILE
bool before(HostTime host, DriverTime driver) { return host < driver; }
#else
bool before(HostTime host, HostTime later) { return host < later; }
#endif
