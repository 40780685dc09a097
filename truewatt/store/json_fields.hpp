#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "truewatt/base/interval.hpp"

namespace truewatt::store {

/// Fields of a document that somebody may have written by hand: what is missing, of another type or
/// not finite is absent.

inline std::optional<double> number_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

inline std::string text_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

inline bool flag_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
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

/// The array of that name; an empty one where there is none.
inline const nlohmann::json& array_in(const nlohmann::json& object, const char* key) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNone;
}

}  // namespace truewatt::store
