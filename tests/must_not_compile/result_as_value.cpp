// A value is taken out of a Result only after asking for it.
// error: cannot convert 'truewatt::Result<int>' to 'const int'
// error: no viable conversion from 'truewatt::Result<int>' to 'const int'
#include "truewatt/base/result.hpp"

truewatt::Result<int> read();
#ifdef MUST_NOT_COMPILE
int caller() {
  const int value = read();
  return value;
}
#else
int caller() {
  const truewatt::Result<int> value = read();
  return value.has_value() ? *value : 0;
}
#endif
