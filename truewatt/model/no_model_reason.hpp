#pragma once

#include <optional>
#include <string_view>

namespace truewatt {

/// Why recorded readings of a source do not tell its observation model. A new reason is an
/// enumerator here and its row in no_model_reason.cpp, without which nothing compiles. The codes
/// are stable: JSON has them.
enum class NoModelReason {
  energy_counter,           ///< only power sources are fitted
  update_period_not_found,  ///< its values did not change often enough
  no_known_load,            ///< neither a meter nor a known load is beside it
  no_idle_before_load,      ///< what ran before still showed when the load began
  too_few_readings,         ///< of the load
  too_few_edges,            ///< too few readings saw the load begin or end
  last_ = too_few_edges,
};
std::string_view to_string(NoModelReason reason);

/// What it means, in a few words; "" where a model would not be expected.
std::string_view explain(NoModelReason reason);

}  // namespace truewatt
