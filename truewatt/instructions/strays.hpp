#pragma once

#include <vector>

#include "truewatt/microbenchmark/batch.hpp"

namespace truewatt::instructions {

/// Takes out stretches in which the board was in another state than in the rest: an H100 now and
/// then runs one stretch of many 2 % faster than its highest clock, and draws a tenth more above
/// idle. Those are off their row's line over counts by more than six robust standard deviations of
/// all rows; of a row a quarter at most is taken out. `rows`: the points of each. Pure.
void take_out_strays(std::vector<std::vector<microbenchmark::Point>>& rows);

}  // namespace truewatt::instructions
