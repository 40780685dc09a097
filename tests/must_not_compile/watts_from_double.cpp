// A bare number has no unit.
// error: conversion from 'double' to non-scalar type 'truewatt::Watts'
// error: no viable conversion from 'double' to 'truewatt::Watts'
#include "truewatt/base/units.hpp"

using namespace truewatt;
#ifdef MUST_NOT_COMPILE
Watts power = 250.0;
#else
Watts power(250.0);
#endif
