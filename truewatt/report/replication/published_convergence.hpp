#pragma once

#include <string_view>
#include <vector>

#include "truewatt/replication/yang/results.hpp"

namespace truewatt::report {

/// The curves of Fig. 17 of Yang 2024 (an A100, 25 of 100 ms) for a load of this length; none for
/// other loads than 25, 100 and 800 ms.
std::vector<replication::ConvergenceCurve> published_convergence(Seconds execution);

}  // namespace truewatt::report
