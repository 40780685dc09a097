#pragma once

#include <span>

#include "truewatt/model/catalogue.hpp"

namespace truewatt::catalogue {

/// Every finding beside Fig. 14, by family.
std::span<const Finding> all_findings();

}  // namespace truewatt::catalogue
