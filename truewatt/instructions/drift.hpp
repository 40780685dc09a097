#pragma once

#include <vector>

#include "truewatt/microbenchmark/batch.hpp"

namespace truewatt::instructions {

/// Takes off what a board draws more or less for a second or so, whatever runs (an H100 by 1.6 %):
/// of each point the share of its energy above idle that the points beside it in time show, those
/// of other rows. What is left scatters as it is. Nothing is taken off where neighbours do not go
/// together. `rows`: the points of each (docs/method.md, 36c). Pure.
void remove_drift(std::vector<std::vector<microbenchmark::Point>>& rows);

}  // namespace truewatt::instructions
