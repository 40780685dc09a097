#include <fmt/format.h>

#include "truewatt/store/json_document.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::store {
namespace {

constexpr std::string_view kCalibrationSchema = "truewatt.calibration/1";

OrderedJson json_of(const CalibrationLevel& level) {
  return {{"sensor_w", level.sensor_w}, {"meter_w", level.meter_w}};
}

OrderedJson json_of(const CalibrationTerm& term) {
  return {{"name", term.name},
          {"type", std::string(1, term.type)},
          {"gain", term.gain},
          {"offset_w", term.offset_w}};
}

CalibrationTerm read_term(JsonReader& reader, const Json& json, const std::string& place) {
  const std::string type = reader.text(json, place, "type");
  if (type != "A" && type != "B") reader.fail(JsonReader::join(place, "type"), "must be A or B");
  return {.name = reader.text(json, place, "name"),
          .type = type.empty() ? 'A' : type.front(),
          .gain = reader.number(json, place, "gain"),
          .offset_w = reader.number(json, place, "offset_w")};
}

}  // namespace

std::string calibration_to_json(const Calibration& calibration) {
  const auto r_squared = calibration.r_squared ? OrderedJson(*calibration.r_squared) : nullptr;
  OrderedJson levels = OrderedJson::array();
  for (const CalibrationLevel& level : calibration.levels) levels.push_back(json_of(level));
  OrderedJson terms = OrderedJson::array();
  for (const CalibrationTerm& term : calibration.terms) terms.push_back(json_of(term));
  return text_of({{"schema", kCalibrationSchema},
                  {"device", json_of(calibration.device)},
                  {"source", to_string(calibration.source.kind)},
                  {"scope", to_string(calibration.source.scope)},
                  {"created", word_or_null(calibration.created)},
                  {"gain", json_of(calibration.gain)},
                  {"offset_w", json_of(calibration.offset_w)},
                  {"r_squared", r_squared},
                  {"meter", calibration.meter},
                  {"levels", levels},
                  {"terms", terms},
                  {"reasons", codes_of(calibration.reasons)}});
}

Result<Calibration> calibration_from_json(std::string_view text, std::string_view origin) {
  const auto json = parse_document(text, origin, kCalibrationSchema);
  if (!json) return Unexpected(json.error());
  JsonReader reader(origin);
  Calibration calibration;
  calibration.device = reader.device(*json);
  calibration.source = reader.source(*json, "");
  calibration.gain = reader.interval(*json, "", "gain");
  calibration.offset_w = reader.interval(*json, "", "offset_w");
  calibration.r_squared = reader.optional_number(*json, "", "r_squared");
  calibration.created = reader.word(*json, "", "created");
  calibration.meter = reader.text(*json, "", "meter");
  for (const Json& level : reader.list(*json, "", "levels")) {
    const std::string place = fmt::format("levels[{}]", calibration.levels.size());
    calibration.levels.push_back(
        {reader.number(level, place, "sensor_w"), reader.number(level, place, "meter_w")});
  }
  for (const Json& term : reader.list(*json, "", "terms")) {
    const std::string place = fmt::format("terms[{}]", calibration.terms.size());
    calibration.terms.push_back(read_term(reader, term, place));
  }
  calibration.reasons = reader.codes(*json, "", "reasons", parse_calibration_reason);
  if (reader.error()) return Unexpected(*reader.error());
  return calibration;
}

}  // namespace truewatt::store
