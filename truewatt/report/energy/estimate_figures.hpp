#pragma once

#include <vector>

#include "truewatt/report/energy/html.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// The figures of a section's estimates: the power as it was read, as Burtscher 2014 corrects it
/// and as the estimate has it with its band, and when the sensors look against when work ran. None
/// where no profile told how to draw them.
std::vector<Figure> estimate_figures(const Section& section);

}  // namespace truewatt::report
