#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "truewatt/energy/results/work.hpp"
#include "truewatt/measure/results.hpp"

namespace truewatt::report {

/// `2.920 mJ/token ± 0.012 mJ/token (0.41 %), 342.5 tokens/J ± 1.4 tokens/J`; the latter where the
/// energy is above 0.
std::string per_unit_text(const Interval& joules, const energy::Work& work);

/// What a unit of the run's work took, on its sensors' scale, above idle and against a wattmeter;
/// "" where nobody said how much work it did.
std::string work_text(const measure::EnergyRun& run, std::size_t width);

}  // namespace truewatt::report
