// The unit is dropped only by name.
// error: cannot convert 'const truewatt::Watts' to 'double'
// error: no viable conversion from 'const truewatt::Watts' to 'double'
#include "truewatt/base/units.hpp"

const truewatt::Watts power(250.0);
#ifdef MUST_NOT_COMPILE
double number = power;
#else
double number = power.value();
#endif
