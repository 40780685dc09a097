#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/format.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/parse.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::store {

/// Fields of a document that somebody may have written by hand: what is missing, of another type or
/// larger than any quantity is absent.

inline std::optional<double> number_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  constexpr double kLargest = 1e30;  // of any quantity in SI units; its square is a number too
  const double value = found->get<double>();
  return std::abs(value) <= kLargest ? std::optional(value) : std::nullopt;
}

inline std::string text_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

inline bool flag_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

/// The array of that name; an empty one where there is none.
inline const nlohmann::json& array_in(const nlohmann::json& object, const char* key) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNone;
}

/// One whose bounds hold its value.
inline std::optional<Interval> interval_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return std::nullopt;
  const auto value = number_in(*found, "value");
  const auto lower = number_in(*found, "lower");
  const auto upper = number_in(*found, "upper");
  if (!value || !lower || !upper || *lower > *value || *value > *upper) return std::nullopt;
  return Interval{*value, *lower, *upper};
}

/// A table's document of that schema; `verb` is what writes it. Errors: parse, in words for people.
inline Result<nlohmann::json> table_document(std::string_view text, std::string_view origin,
                                             std::string_view schema, std::string_view verb) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    return Unexpected(
        Errc::parse,
        fmt::format("{} is not JSON; `truewatt {} --json FILE` writes what is read here", origin,
                    verb));
  }
  if (const std::string is = text_in(json, "schema"); is != schema) {
    return Unexpected(
        Errc::parse,
        fmt::format("{} is of {}; here goes one of {}, which `truewatt {} --json FILE` writes",
                    origin, is.empty() ? "no schema" : "the schema " + is, schema, verb));
  }
  return json;
}

/// A number's whole part; 0 where none is, or one beyond a thousand millions.
inline int whole_in(const nlohmann::json& object, const char* key) {
  constexpr double kMost = 1e9;
  const double value = number_in(object, key).value_or(0.0);
  return std::abs(value) <= kMost ? static_cast<int>(value) : 0;
}

/// "9.0" is 90; 0: none.
inline int capability_in(const nlohmann::json& document) {
  const auto number = parse_number(text_in(document, "compute_capability"));
  return number && *number > 0 && *number < 100 ? static_cast<int>(std::lround(10 * *number)) : 0;
}

inline std::vector<std::string> texts_in(const nlohmann::json& object, const char* key) {
  std::vector<std::string> texts;
  for (const nlohmann::json& one : array_in(object, key)) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

/// What to say of entries of an array that were left out; "" for none.
inline std::string left_out(std::size_t count, const char* key) {
  if (count == 0) return "";
  return fmt::format(
      "{} of the file's `{}` could not be read and {} left out: the file is damaged, "
      "or of a newer version",
      count, key, count == 1 ? "is" : "are");
}

/// A budget in joules. Terms that this version does not know are left out.
inline std::vector<uncertainty::Term> budget_in(const nlohmann::json& object, const char* key) {
  std::vector<uncertainty::Term> terms;
  for (const nlohmann::json& one : array_in(object, key)) {
    if (!one.is_object()) continue;
    const auto u = number_in(one, "standard_uncertainty_j");
    const std::string type = text_in(one, "type");
    if (!u || *u < 0 || type.empty()) continue;
    const auto cause = uncertainty::parse_cause(text_in(one, "term"), type.front());
    if (cause) terms.push_back({*cause, *u});
  }
  return terms;
}

/// When it was measured.
inline std::optional<DriverTime> start_in(const nlohmann::json& document) {
  return parse_utc(text_in(document, "start"));
}

/// The device's index, name, UUID, PCI address and driver.
inline DeviceIdentity device_in(const nlohmann::json& document) {
  DeviceIdentity identity;
  const auto device = document.find("device");
  if (device == document.end() || !device->is_object()) return identity;
  identity.index = whole_in(*device, "index");
  identity.pci = text_in(*device, "pci");
  identity.name = text_in(*device, "name");
  identity.uuid = text_in(*device, "uuid");
  identity.driver = text_in(*device, "driver");
  return identity;
}

}  // namespace truewatt::store
