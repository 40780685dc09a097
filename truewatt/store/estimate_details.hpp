#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/store/sqlite.hpp"

namespace truewatt::store {

/// Estimates by the id that the tables of their details refer to, each with its device.
using EstimatesById = std::map<std::int64_t, std::pair<std::int64_t, energy::EnergyEstimate>>;

/// Adds what the tables of details have: budget, polled energies, sources, readers, scale,
/// baseline, reasons. Codes of a newer truewatt are kept as they are (`EnergyEstimate::foreign`).
/// Errors: those of SQLite; parse for a source or a reader that nothing here is, and for a row of
/// no estimate.
Result<void> add_estimate_details(Database& database, EstimatesById& estimates);

/// The error for a name that this truewatt does not know.
Unexpected unknown_name(std::string_view what, std::string_view name);

}  // namespace truewatt::store
