#pragma once

#include <string>

#include "truewatt/report/energy/html.hpp"

namespace truewatt::report {

/// The answer, before everything else: a row for each of the page's first estimates, with the
/// status of each. HTML; "" without estimates.
std::string summary_html(const Page& page);

}  // namespace truewatt::report
