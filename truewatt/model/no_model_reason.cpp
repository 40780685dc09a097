#include "truewatt/model/no_model_reason.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt {
namespace {

struct NoModelRow {
  std::string_view code;
  std::string_view words;
};

/// The compiler names the enumerator that has no row here.
constexpr NoModelRow no_model_row(NoModelReason reason) {
  switch (reason) {
    case NoModelReason::energy_counter:
      return {"energy_counter", ""};
    case NoModelReason::update_period_not_found:
      return {"update_period_not_found", ""};
    case NoModelReason::no_known_load:
      return {"no_known_load", ""};
    case NoModelReason::no_idle_before_load:
      return {"no_idle_before_load", "what ran before still showed when the load began"};
    case NoModelReason::too_few_readings:
      return {"too_few_readings", "too few readings of the load"};
    case NoModelReason::too_few_edges:
      return {"too_few_edges", "too few readings saw the load begin or end"};
  }
  return {};
}
constexpr auto kNoModelReasons = rows_of<NoModelReason, no_model_row>();

}  // namespace

std::string_view to_string(NoModelReason reason) { return row_of(kNoModelReasons, reason).code; }
std::string_view explain(NoModelReason reason) { return row_of(kNoModelReasons, reason).words; }

}  // namespace truewatt
