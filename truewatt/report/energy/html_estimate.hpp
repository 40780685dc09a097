#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/report/energy/html.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {

/// Estimates of a section that get charts of their own; tables hold them all.
inline constexpr std::size_t kChartedEstimates = 12;

/// A name for each estimate of the section: the given ones or the windows' labels, numbered when
/// they do not differ.
std::vector<std::string> estimate_labels(const Section& section);

/// The key figures of one estimate, its verdict and its reasons in sentences; with what an external
/// meter showed beside it.
std::string figures_html(const energy::EnergyEstimate& estimate,
                         const std::optional<Joules>& metered);

/// `1188.7 J (estimate -5.0 %)`.
std::string metered_text(const energy::EnergyEstimate& estimate, Joules metered);

/// Every number of the section's estimates: a column each, or a row each when there are many.
HtmlTable numbers_table(const Section& section);

/// The uncertainty budget of one estimate.
HtmlTable budget_table(const energy::EnergyEstimate& estimate);

/// What each source of the recording gave: readings, their spacing, lowest and highest value, gaps.
HtmlTable sources_table(const Section& section);

/// What happened during the capture: events and gaps.
HtmlTable events_table(const Section& section);

}  // namespace truewatt::report
