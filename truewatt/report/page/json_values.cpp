#include "truewatt/report/page/json_values.hpp"

#include <fmt/format.h>

#include <cmath>

namespace truewatt::report {

Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json json_of(Watts power) { return json_of(power.value()); }
Json json_of(Joules energy) { return json_of(energy.value()); }
Json json_of(Seconds duration) { return json_of(duration.count()); }

Json json_of(const Interval& interval) {
  if (!std::isfinite(interval.value)) return nullptr;
  return {{"value", interval.value},
          {"lower", json_of(interval.lower)},
          {"upper", json_of(interval.upper)},
          {"level", interval.level}};
}

Json json_of(const energy::EnergyInterval& energy) {
  Json json = json_of(energy.interval);
  if (!json.is_null()) json["standard_uncertainty"] = json_of(energy.standard_uncertainty);
  return json;
}

Json json_of(SourceId source) { return to_string(source); }

Json json_of(const DeviceIdentity& device) {
  Json json = {{"index", device.index},
               {"name", device.name},
               {"uuid", device.uuid},
               {"pci", device.pci},
               {"driver", device.driver}};
  if (!device.host.empty()) json["host"] = device.host;
  return json;
}

Json json_of(const std::vector<energy::Reason>& reasons) {
  Json codes = Json::array();
  for (const energy::Reason reason : reasons) codes.push_back(energy::to_string(reason));
  return codes;
}

Json json_of(const energy::ProfileUse& profile) {
  return {{"provenance", profile.provenance()},
          {"covers_source", profile.covers_source},
          {"agrees", profile.agrees ? Json(*profile.agrees) : Json(nullptr)}};
}

Json json_of_readers(const energy::EnergyEstimate& estimate) {
  Json readers = Json::object();
  for (const energy::ReaderEnergy& one : estimate.readers) {
    const auto deviation =
        estimate.energy ? deviation_of(one, estimate, Joules(estimate.energy->interval.value))
                        : std::nullopt;
    readers[std::string(to_string(one.reader))] = {{"energy_j", json_of(one.energy)},
                                                   {"over_s", json_of(one.over)},
                                                   {"deviation", json_of(deviation)},
                                                   {"source", json_of(one.source)}};
  }
  return readers;
}

Json json_of_capability(int compute_capability) {
  if (compute_capability <= 0) return nullptr;
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string document_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace truewatt::report
