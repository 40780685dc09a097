// A shared library has a source of its own; everything in it comes from the layers.
#include "truewatt/library/energy_meter.hpp"
