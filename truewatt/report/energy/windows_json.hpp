#pragma once

#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {

/// The interval without gain and offset of the board; null without an energy.
Json json_on_sensor_scale(const std::optional<energy::EnergyInterval>& energy);

/// Least and most; null without.
Json json_of_bounds(const std::optional<energy::EnergyBounds>& bounds);

/// Which idle its net energy counts from; null where that is not known.
Json json_of_baseline(const energy::EnergyEstimate& estimate);

/// Windows and labels as the top level of `analyze`, `run` and `measure` has them.
Json json_of_windows(const std::vector<energy::WindowResult>& windows);
Json json_of_labels(const std::vector<energy::LabelResult>& labels);

/// The terms of an uncertainty budget, J.
Json json_of_budget(const std::vector<uncertainty::Term>& budget);

}  // namespace truewatt::report
