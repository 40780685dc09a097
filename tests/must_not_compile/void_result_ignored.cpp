// Neither is one without a value.
// error: ignoring returned value of type 'truewatt::Result<void>'
// error: ignoring return value of function declared with 'nodiscard'
#include "truewatt/base/result.hpp"

truewatt::Result<void> write();
#ifdef MUST_NOT_COMPILE
void caller() { write(); }
#else
bool caller() { return write().has_value(); }
#endif
