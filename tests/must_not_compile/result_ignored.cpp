// A failure is not dropped in passing.
// error: ignoring returned value of type 'truewatt::Result<int>'
// error: ignoring return value of function declared with 'nodiscard'
#include "truewatt/base/result.hpp"

truewatt::Result<int> read();
#ifdef MUST_NOT_COMPILE
void caller() { read(); }
#else
int caller() { return read().value_or(0); }
#endif
