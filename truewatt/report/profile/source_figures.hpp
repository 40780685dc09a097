#pragma once

#include <vector>

#include "truewatt/characterize/figures.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// The figures of one source in the order in which they are read: how often it updates, how it
/// answers a step, random work with the model's reconstruction and residuals, the loss curve and
/// the explanations held against each other. Without those that its readings do not give.
std::vector<Figure> figures_of(const characterize::SourceFigures& source,
                               const SourceProfile& profile);

/// Update period, window, time constant and delay of every source that has them, beside what the
/// catalogue has published.
std::vector<Figure> parameter_figures(const Profile& profile);

}  // namespace truewatt::report
