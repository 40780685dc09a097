// Real seconds are rounded to nanoseconds by name, never truncated in passing.
// error: conversion from 'duration<double,
// error: no viable conversion from 'const duration<double,
#include "truewatt/base/time.hpp"

using namespace truewatt;
constexpr Seconds kPeriod(0.1);
#ifdef MUST_NOT_COMPILE
Nanoseconds period = kPeriod;
#else
Nanoseconds period = to_nanoseconds(kPeriod);
#endif
