// Power is not energy.
// error: conversion from 'truewatt::Watts' to non-scalar type 'truewatt::Joules'
// error: no viable conversion from 'truewatt::Watts' to 'truewatt::Joules'
#include "truewatt/base/units.hpp"

using namespace truewatt;
#ifdef MUST_NOT_COMPILE
Joules energy = 250_W;
#else
Joules energy = 250_W * Seconds(1);
#endif
