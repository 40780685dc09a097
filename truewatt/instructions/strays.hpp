#pragma once

#include <vector>

#include "truewatt/microbenchmark/batch.hpp"

namespace truewatt::instructions {

/// Takes out stretches that ran faster than the others of their row: an H100 now and then runs one
/// stretch of many 1 to 3 % faster than its highest clock, and draws a tenth more above idle. They
/// are told by the time of an iteration alone, so that what is left scatters as it is; of a row a
/// quarter at most is taken out. `rows`: the points of each (docs/method.md, section 15). Pure.
void take_out_strays(std::vector<std::vector<microbenchmark::Point>>& rows);

}  // namespace truewatt::instructions
