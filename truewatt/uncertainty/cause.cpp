#include "truewatt/uncertainty/cause.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt::uncertainty {
namespace {

/// The compiler names the enumerator that has no row here.
constexpr CauseRow make_row(Cause cause) {
  using enum Recurrence;
  switch (cause) {
    case Cause::gain:
      return {"gain", 'B', board_gain, "gain of an uncalibrated sensor"};
    case Cause::calibrated_gain:
      return {"gain", 'A', board_gain, "gain of the sensor, as calibrated"};
    case Cause::offset:
      return {"offset", 'B', board_offset, "offset of an uncalibrated sensor"};
    case Cause::calibrated_offset:
      return {"offset", 'A', board_offset, "offset of the sensor, as calibrated"};
    case Cause::lag:
      return {"lag", 'B', per_profile, "averaging window and lag of the source"};
    case Cause::age:
      return {"age", 'B', per_profile, "how old a reading is when it is published"};
    case Cause::gaps:
      return {"gaps", 'B', per_profile, "gaps between a counter's inner observations"};
    case Cause::model:
      return {"model", 'B', per_profile, "effects that the sensor model does not include"};
    case Cause::relative_gain:
      return {"relative_gain", 'B', per_profile, "gains of the sources relative to each other"};
    case Cause::misfit:
      return {"misfit", 'B', alike_every_run, "readings that do not follow the model"};
    case Cause::quantum:
      return {"quantum", 'B', alike_every_run, "resolution (step size) of the readings"};
    case Cause::phase_lock:
      return {"phase_lock", 'B', per_program, "a load in step with its sensor"};
    case Cause::pause_idle:
      return {"baseline", 'B', alike_every_run, "idle power in pauses between executions"};
    case Cause::work:
      return {"work", 'B', per_run, "power levels during the work"};
    case Cause::ticks:
      return {"ticks", 'A', per_run, "update times, from their scatter"};
    case Cause::tick_brackets:
      return {"ticks", 'B', per_run, "update times, limited by how often they were polled"};
    case Cause::edges:
      return {"edges", 'B', per_run, "the window's edges between readings"};
    case Cause::baseline:
      return {"baseline", 'A', per_run, "idle power beside the window"};
    case Cause::repeatability:
      return {"repeatability", 'A', per_run, "repeatability of the readings"};
    case Cause::noise:
      return {"noise", 'A', per_run, "noise of the readings"};
    case Cause::unobserved:
      return {"unobserved", 'A', per_run, "power while the source did not look"};
    case Cause::readings:
      return {"readings", 'A', per_run, "random errors of the readings"};
    case Cause::scatter:
      return {"scatter", 'A', per_run, "scatter of repeated runs"};
    case Cause::within_runs:
      return {"within_runs", 'B', per_run, "uncertainty of the runs beyond their scatter"};
  }
  return {};
}

constexpr auto kRows = rows_of<Cause, make_row>();

}  // namespace

const CauseRow& row_of(Cause cause) { return truewatt::row_of(kRows, cause); }

std::optional<Cause> parse_cause(std::string_view code, char type) {
  std::optional<Cause> found;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].code != code) continue;
    if (kRows[i].type == type) return static_cast<Cause>(i);
    if (!found) found = static_cast<Cause>(i);
  }
  return found;
}

}  // namespace truewatt::uncertainty
