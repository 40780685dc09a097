#pragma once

#include <cstddef>
#include <string>

#include "truewatt/report/energy/html.hpp"

namespace truewatt::report {

/// What all sections of a page share.
struct SectionContext {
  std::size_t index = 0;  ///< makes the ids of the section's elements unique
  std::size_t points_per_series = 4000;
  double gain_standard_uncertainty = 0.0;
};

/// One section of the page: headings, key figures, places for the charts with their data, tables.
std::string section_html(const Section& section, const SectionContext& context);

}  // namespace truewatt::report
