#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/energy/results/results.hpp"

namespace truewatt::report {

/// Keys keep the order in which they were written, so that documents read in the design's order.
using Json = nlohmann::ordered_json;

/// Values of the stable JSON documents. A double that is not finite becomes null, and so does an
/// interval without a finite value; the reason stands in the document's `reasons`.
Json json_of(double value);
Json json_of(Watts power);
Json json_of(Joules energy);
Json json_of(Seconds duration);
Json json_of(const Interval& interval);
Json json_of(const energy::EnergyInterval& energy);
Json json_of(SourceId source);
Json json_of(const DeviceIdentity& device);
Json json_of(const std::vector<energy::Reason>& reasons);
Json json_of(const energy::ProfileUse& profile);

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

/// By name, those that were asked for: what each makes of the estimate's readings.
Json json_of_readers(const energy::EnergyEstimate& estimate);

/// "9.0" of 90; null of 0, a simulated device.
Json json_of_capability(int compute_capability);

/// Null for "": text that is absent by nature.
Json text_or_null(const std::string& text);

/// The document as indented text with a final newline; bytes that are not UTF-8 are replaced.
std::string document_text(const Json& document);

}  // namespace truewatt::report
