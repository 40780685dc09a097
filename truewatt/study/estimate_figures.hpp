#pragma once

#include <vector>

#include "truewatt/energy/knowledge.hpp"
#include "truewatt/study/figures.hpp"

namespace truewatt::study {

/// The figures of estimates of these windows, at least one; times after the first one's begin. The
/// phases are those of the first window. Pure.
EstimateFigures estimate_figures(const Recording& recording, const std::vector<Window>& windows,
                                 const energy::Knowledge& knowledge);

}  // namespace truewatt::study
