// Power and energy do not add.
// error: no match for 'operator+' (operand types are 'truewatt::Watts' and 'truewatt::Joules')
// error: invalid operands to binary expression ('truewatt::Watts' and 'truewatt::Joules')
#include "truewatt/base/units.hpp"

using namespace truewatt;
#ifdef MUST_NOT_COMPILE
auto sum = 250_W + 5_J;
#else
auto sum = 250_W * Seconds(1) + 5_J;
#endif
