#include "truewatt/store/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace truewatt::store {
namespace {

/// Windows, delays, periods and lags: what waits for ten of them must end.
constexpr double kLongestTime = 100.0;  // s

}  // namespace

OrderedJson json_of(const Interval& interval) {
  return {{"value", interval.value},
          {"lower", interval.lower},
          {"upper", interval.upper},
          {"level", interval.level}};
}

OrderedJson json_of(const DeviceIdentity& device) {
  return {
      {"name", device.name}, {"uuid", device.uuid}, {"pci", device.pci}, {"driver", device.driver}};
}

OrderedJson word_or_null(const std::string& word) {
  return word.empty() ? OrderedJson(nullptr) : OrderedJson(word);
}

std::string text_of(const OrderedJson& json) {
  // Names that drivers hand out need not be UTF-8; what is not becomes U+FFFD.
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

namespace {

/// In our words: the line where the text ceases to be JSON.
std::string not_json(std::string_view text, std::size_t byte, std::string_view origin) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return fmt::format("{} is not JSON, from line {} on; name a file that truewatt wrote with --json",
                     origin, 1 + std::count(text.begin(), end, '\n'));
}

std::string_view who_writes(std::string_view schema) {
  if (schema.starts_with("truewatt.profile/"))
    return "; `truewatt characterize --json FILE` writes it";
  if (schema.starts_with("truewatt.calibration/"))
    return "; `truewatt calibrate --json FILE` writes it";
  return "";
}

}  // namespace

Result<Json> parse_document(std::string_view text, std::string_view origin,
                            std::string_view schema) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& failure) {
    return Unexpected(Errc::parse, not_json(text, failure.byte, origin));
  } catch (const Json::exception&) {  // a number that a double does not hold
    return Unexpected(Errc::parse,
                      fmt::format("{} holds a number that is too large; name a file that truewatt "
                                  "wrote with --json",
                                  origin));
  }
  JsonReader reader(origin);
  const std::string_view family = schema.substr(0, schema.find('/') + 1);
  if (!json.is_object() || !json.contains("schema")) {
    return Unexpected(Errc::parse, fmt::format("{} is not a file that truewatt wrote: it has no "
                                               "schema, and {} is wanted{}",
                                               origin, schema, who_writes(schema)));
  }
  const std::string found = reader.text(json, "", "schema");
  if (reader.error()) return Unexpected(*reader.error());
  if (found == schema) return json;
  if (found.starts_with(family)) {
    return Unexpected(Errc::unsupported,
                      fmt::format("{} has schema {}, this truewatt reads {}: update truewatt",
                                  origin, found, schema));
  }
  return Unexpected(Errc::parse, fmt::format("{} has schema {}, wanted is {}{}", origin, found,
                                             schema, who_writes(schema)));
}

void JsonReader::fail(const std::string& place, std::string_view what) {
  if (!error_) error_ = Error{Errc::parse, fmt::format("{}: {} {}", origin_, place, what)};
}

const Json& JsonReader::member(const Json& object, const std::string& place, const char* key) {
  static const Json kNull = nullptr;
  if (!object.is_object()) {
    fail(place.empty() ? "the document" : place, "must be an object");
    return kNull;
  }
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

double JsonReader::number(const Json& object, const std::string& place, const char* key) {
  const Json& json = member(object, place, key);
  const double value = json.is_number() ? json.get<double>() : 0.0;
  if (!json.is_number() || !std::isfinite(value)) fail(join(place, key), "must be a number");
  return value;
}

std::string JsonReader::text(const Json& object, const std::string& place, const char* key) {
  const Json& json = member(object, place, key);
  if (json.is_string()) return json.get<std::string>();
  fail(join(place, key), "must be a string");
  return {};
}

std::string JsonReader::word(const Json& object, const std::string& place, const char* key) {
  return member(object, place, key).is_null() ? std::string() : text(object, place, key);
}

std::optional<double> JsonReader::optional_number(const Json& object, const std::string& place,
                                                  const char* key) {
  if (member(object, place, key).is_null()) return std::nullopt;
  return number(object, place, key);
}

Interval JsonReader::interval(const Json& object, const std::string& place, const char* key) {
  const Json& json = member(object, place, key);
  const std::string inside = join(place, key);
  const Interval interval{number(json, inside, "value"), number(json, inside, "lower"),
                          number(json, inside, "upper"), number(json, inside, "level")};
  const bool is_time = std::string_view(key).ends_with("_s");
  if (is_time && std::abs(interval.value) > kLongestTime) {
    fail(inside, fmt::format("must be within {} s: no sensor is slower", kLongestTime));
  }
  if (interval.lower > interval.upper) fail(inside, "has its lower bound above its upper one");
  if (!(interval.level > 0 && interval.level < 1)) fail(inside, "must have a level in (0, 1)");
  return interval;
}

std::optional<Interval> JsonReader::optional_interval(const Json& object, const std::string& place,
                                                      const char* key) {
  if (member(object, place, key).is_null()) return std::nullopt;
  return interval(object, place, key);
}

std::optional<std::string> JsonReader::optional_text(const Json& object, const std::string& place,
                                                     const char* key) {
  if (member(object, place, key).is_null()) return std::nullopt;
  return text(object, place, key);
}

std::optional<bool> JsonReader::optional_truth(const Json& object, const std::string& place,
                                               const char* key) {
  const Json& json = member(object, place, key);
  if (json.is_null()) return std::nullopt;
  if (!json.is_boolean()) fail(join(place, key), "must be true or false");
  return json.is_boolean() && json.get<bool>();
}

const Json& JsonReader::list(const Json& object, const std::string& place, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& json = member(object, place, key);
  if (json.is_array()) return json;
  if (!json.is_null()) fail(join(place, key), "must be an array");
  return kEmpty;
}

DeviceIdentity JsonReader::device(const Json& object, const std::string& outside) {
  const Json& json = member(object, outside, "device");
  const std::string place = join(outside, "device");
  return {.name = text(json, place, "name"),
          .uuid = text(json, place, "uuid"),
          .pci = text(json, place, "pci"),
          .driver = text(json, place, "driver")};
}

SourceId JsonReader::source(const Json& object, const std::string& place) {
  const auto kind = parse_source_kind(text(object, place, "source"));
  const auto scope = parse_scope(text(object, place, "scope"));
  if (!kind) fail(join(place, "source"), "is not the name of a source");
  if (!scope) fail(join(place, "scope"), "must be gpu, module, memory or cpu");
  return {kind.value_or(SourceKind::power_instant), scope.value_or(Scope::gpu)};
}

std::string JsonReader::join(const std::string& place, const char* key) {
  return place.empty() ? key : place + "." + key;
}

std::vector<std::string> JsonReader::words(const Json& object, const std::string& place,
                                           const char* key) {
  std::vector<std::string> words;
  for (const Json& word : list(object, place, key)) {
    if (!word.is_string()) {
      fail(join(place, key), "must hold strings");
      break;
    }
    words.push_back(word.get<std::string>());
  }
  return words;
}

}  // namespace truewatt::store
