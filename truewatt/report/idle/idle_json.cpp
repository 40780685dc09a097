#include "truewatt/report/idle/idle_json.hpp"

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

Json json_of_row(const idle::Row& row) {
  Json reasons = Json::array();
  for (const idle::Reason reason : row.reasons) reasons.push_back(to_string(reason));
  return {{"rung", to_string(row.rung)},
          {"power_w", json_of(row.power_w)},
          {"against_meter_w", json_of(row.against_meter_w)},
          {"above_context_w", json_of(row.above_context_w)},
          {"sm_clock_hz", json_of(row.seen.sm_clock_hz)},
          {"memory_clock_hz", json_of(row.seen.memory_clock_hz)},
          {"p_state", row.seen.p_state ? Json(*row.seen.p_state) : Json()},
          {"temperature_c", json_of(row.seen.temperature_c)},
          {"memory_used_bytes", json_of(row.seen.memory_used_bytes)},
          {"settled_s", json_of(row.settled)},
          {"stretches", row.stretches},
          {"counted_s", json_of(row.counted)},
          {"reasons", std::move(reasons)}};
}

}  // namespace

std::string idle_json(const idle::Ladder& ladder) {
  Json document;
  document["schema"] = "truewatt.idle/1";
  document["tool_version"] = ladder.tool_version;
  document["start"] = format_utc(ladder.start);
  document["took_s"] = json_of(ladder.took);
  document["device"] = json_of(ladder.device);
  Json rows = Json::array();
  for (const idle::Row& row : ladder.rows) rows.push_back(json_of_row(row));
  document["rungs"] = std::move(rows);
  document["calibrated"] = ladder.calibrated;
  document["interrupted"] = ladder.interrupted;
  document["notes"] = ladder.notes;
  return document_text(document);
}

}  // namespace truewatt::report
