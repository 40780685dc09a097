#pragma once

#include <optional>
#include <string>

#include "truewatt/instructions/prediction.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::report {

/// The stable document truewatt.instructions/1 (docs/reference.md), with a prediction from the
/// table where there is one. Pure.
std::string instructions_json(const instructions::Table& table,
                              const std::optional<instructions::Prediction>& prediction = {});

/// One line a row, with a header line; energies in joules. `separator` as of -x. Pure.
std::string instructions_csv(const instructions::Table& table, const std::string& separator);

}  // namespace truewatt::report
