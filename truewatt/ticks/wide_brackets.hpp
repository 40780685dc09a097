#pragma once

#include <vector>

#include "truewatt/ticks/ticks.hpp"

namespace truewatt::ticks {

/// Ticks of a regular source where its grid has them: one in a bracket much wider than the others',
/// as of a driver that did not answer for a while, stands where the ticks around it say that the
/// one publication of this bracket was, known as well as they stray. It is left out where its
/// bracket holds several publications, or may hold none. Others, and all where most brackets are
/// wide, stay. `period`: usual interval between publications, s. docs/method.md, section 3.
std::vector<Tick> narrow_wide_brackets(const std::vector<Tick>& ticks, double period);

}  // namespace truewatt::ticks
