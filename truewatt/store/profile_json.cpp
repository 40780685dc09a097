#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "truewatt/store/profile_file.hpp"

namespace truewatt::store {
namespace {

using Json = nlohmann::json;
/// Keeps the schema's order of keys; slow to read into.
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kProfileSchema = "truewatt.profile/1";
constexpr std::string_view kCalibrationSchema = "truewatt.calibration/1";

OrderedJson json_of(const Interval& interval) {
  return {{"value", interval.value},
          {"lower", interval.lower},
          {"upper", interval.upper},
          {"level", interval.level}};
}

OrderedJson json_of(const CatalogueMatch& match);
OrderedJson json_of(const CounterProfile& counter);
OrderedJson json_of(const CalibrationLevel& level);
OrderedJson json_of(const SourceProfile& source);
OrderedJson json_of(const HostProfile& host);
OrderedJson json_of(const CalibrationTerm& term);
OrderedJson json_of(const ScopeFinding& finding);
OrderedJson json_of(const LevelFinding& finding);

template <class T>
OrderedJson json_of(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    return json_of(*value);
  } else {
    return *value;
  }
}

/// "" stands for a word that was not found out.
OrderedJson word_or_null(const std::string& word) {
  return word.empty() ? OrderedJson(nullptr) : OrderedJson(word);
}

OrderedJson json_of(const DeviceIdentity& device) {
  return {
      {"name", device.name}, {"uuid", device.uuid}, {"pci", device.pci}, {"driver", device.driver}};
}

OrderedJson json_of(const CatalogueMatch& match) {
  return {{"code", json_of(match.code)}, {"agrees", json_of(match.agrees)}};
}

OrderedJson json_of(const EnergyAgreement& agreement) {
  return {{"source", to_string(agreement.source)}, {"ratio", json_of(agreement.ratio)}};
}

template <class T>
OrderedJson list_of(const std::vector<T>& values) {
  OrderedJson list = OrderedJson::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

OrderedJson json_of(const CounterProfile& counter) {
  return {{"counting", counter.counting},
          {"inner_period_s", json_of(counter.inner_period_s)},
          {"gap_begin_s", json_of(counter.gap_begin_s)},
          {"gap_length_s", json_of(counter.gap_length_s)},
          {"agreement", list_of(counter.agreement)}};
}

OrderedJson json_of(const ScopeFinding& finding) {
  return {{"cpu_response_w", json_of(finding.cpu_response_w)},
          {"gpu_response_w", json_of(finding.gpu_response_w)},
          {"excess_w", json_of(finding.excess_w)},
          {"alias_of", word_or_null(finding.alias_of ? to_string(*finding.alias_of) : "")}};
}

OrderedJson json_of(const LevelFinding& finding) {
  return {{"level", finding.level},
          {"share", json_of(finding.share)},
          {"later_s", json_of(finding.later_s)}};
}

OrderedJson json_of(const SourceProfile& source) {
  OrderedJson json = {{"source", to_string(source.source.kind)},
                      {"scope", to_string(source.source.scope)},
                      {"update_period_s", json_of(source.update_period_s)},
                      {"averaging_window_s", json_of(source.averaging_window_s)},
                      {"time_constant_s", json_of(source.time_constant_s)},
                      {"delay_s", json_of(source.delay_s)},
                      {"rise_time_s", json_of(source.rise_time_s)},
                      {"response", word_or_null(source.response)},
                      {"duty", json_of(source.duty)},
                      {"quantum", json_of(source.quantum)},
                      {"gain", json_of(source.gain)},
                      {"offset_w", json_of(source.offset_w)},
                      {"counter", json_of(source.counter)},
                      {"catalogue", json_of(source.catalogue)},
                      {"needs_s", json_of(source.needs_s)},
                      {"scopes", json_of(source.scopes)},
                      {"verdict", word_or_null(source.verdict)},
                      {"reasons", source.reasons}};
  if (!source.levels.empty()) json["levels"] = list_of(source.levels);
  if (!source.protocol_values.empty()) json["protocol_values"] = source.protocol_values;
  return json;
}

OrderedJson json_of(const CalibrationLevel& level) {
  return {{"sensor_w", level.sensor_w}, {"meter_w", level.meter_w}};
}

OrderedJson json_of(const CalibrationTerm& term) {
  return {{"name", term.name},
          {"type", std::string(1, term.type)},
          {"gain", term.gain},
          {"offset_w", term.offset_w}};
}

OrderedJson json_of(const HostProfile& host) {
  return {{"device", json_of(host.device)}, {"sources", list_of(host.sources)}};
}

std::string text_of(const OrderedJson& json) {
  // Names that drivers hand out need not be UTF-8; what is not becomes U+FFFD.
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

/// Reads values out of a JSON document and keeps the first thing that is wrong, with its place.
/// Reading after an error gives harmless values.
class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  const std::optional<Error>& error() const { return error_; }
  void fail(const std::string& place, std::string_view what) {
    if (!error_) error_ = Error{Errc::parse, fmt::format("{}: {} {}", origin_, place, what)};
  }

  /// The member `key`; null when it is absent or when `object` is no object, which fails.
  const Json& member(const Json& object, const std::string& place, const char* key) {
    static const Json kNull = nullptr;
    if (!object.is_object()) {
      fail(place.empty() ? "the document" : place, "must be an object");
      return kNull;
    }
    const auto found = object.find(key);
    return found == object.end() ? kNull : *found;
  }

  double number(const Json& object, const std::string& place, const char* key) {
    const Json& json = member(object, place, key);
    const double value = json.is_number() ? json.get<double>() : 0.0;
    if (!json.is_number() || !std::isfinite(value)) fail(join(place, key), "must be a number");
    return value;
  }
  std::string text(const Json& object, const std::string& place, const char* key) {
    const Json& json = member(object, place, key);
    if (json.is_string()) return json.get<std::string>();
    fail(join(place, key), "must be a string");
    return {};
  }
  /// null and absent are "".
  std::string word(const Json& object, const std::string& place, const char* key) {
    return member(object, place, key).is_null() ? std::string() : text(object, place, key);
  }
  std::optional<double> optional_number(const Json& object, const std::string& place,
                                        const char* key) {
    if (member(object, place, key).is_null()) return std::nullopt;
    return number(object, place, key);
  }
  Interval interval(const Json& object, const std::string& place, const char* key) {
    const Json& json = member(object, place, key);
    const std::string inside = join(place, key);
    const Interval interval{number(json, inside, "value"), number(json, inside, "lower"),
                            number(json, inside, "upper"), number(json, inside, "level")};
    if (interval.lower > interval.upper) fail(inside, "has its lower bound above its upper one");
    if (!(interval.level > 0 && interval.level < 1)) fail(inside, "must have a level in (0, 1)");
    return interval;
  }
  std::optional<Interval> optional_interval(const Json& object, const std::string& place,
                                            const char* key) {
    if (member(object, place, key).is_null()) return std::nullopt;
    return interval(object, place, key);
  }
  std::optional<std::string> optional_text(const Json& object, const std::string& place,
                                           const char* key) {
    if (member(object, place, key).is_null()) return std::nullopt;
    return text(object, place, key);
  }
  std::optional<bool> optional_truth(const Json& object, const std::string& place,
                                     const char* key) {
    const Json& json = member(object, place, key);
    if (json.is_null()) return std::nullopt;
    if (!json.is_boolean()) fail(join(place, key), "must be true or false");
    return json.is_boolean() && json.get<bool>();
  }
  /// A list of objects or words; null and absent are the empty one.
  const Json& list(const Json& object, const std::string& place, const char* key) {
    static const Json kEmpty = Json::array();
    const Json& json = member(object, place, key);
    if (json.is_array()) return json;
    if (!json.is_null()) fail(join(place, key), "must be an array");
    return kEmpty;
  }

  DeviceIdentity device(const Json& object, const std::string& outside = "") {
    const Json& json = member(object, outside, "device");
    const std::string place = join(outside, "device");
    return {.name = text(json, place, "name"),
            .uuid = text(json, place, "uuid"),
            .pci = text(json, place, "pci"),
            .driver = text(json, place, "driver")};
  }
  SourceId source(const Json& object, const std::string& place) {
    const auto kind = parse_source_kind(text(object, place, "source"));
    const auto scope = parse_scope(text(object, place, "scope"));
    if (!kind) fail(join(place, "source"), "is not the name of a source");
    if (!scope) fail(join(place, "scope"), "must be gpu, module, memory or cpu");
    return {kind.value_or(SourceKind::power_instant), scope.value_or(Scope::gpu)};
  }

  static std::string join(const std::string& place, const char* key) {
    return place.empty() ? key : place + "." + key;
  }

 private:
  std::string_view origin_;
  std::optional<Error> error_;
};

std::optional<CatalogueMatch> read_catalogue(Reader& reader, const Json& json,
                                             const std::string& place) {
  const Json& match = reader.member(json, place, "catalogue");
  if (match.is_null()) return std::nullopt;
  const std::string inside = Reader::join(place, "catalogue");
  return CatalogueMatch{.code = reader.optional_text(match, inside, "code"),
                        .agrees = reader.optional_truth(match, inside, "agrees")};
}

std::optional<CounterProfile> read_counter(Reader& reader, const Json& json,
                                           const std::string& place) {
  const Json& object = reader.member(json, place, "counter");
  if (object.is_null()) return std::nullopt;
  const std::string inside = Reader::join(place, "counter");
  CounterProfile counter{.counting = reader.word(object, inside, "counting"),
                         .inner_period_s = reader.optional_number(object, inside, "inner_period_s"),
                         .gap_begin_s = reader.optional_number(object, inside, "gap_begin_s"),
                         .gap_length_s = reader.optional_interval(object, inside, "gap_length_s")};
  for (const Json& item : reader.list(object, inside, "agreement")) {
    const std::string at = fmt::format("{}.agreement[{}]", inside, counter.agreement.size());
    const auto source = parse_source(reader.text(item, at, "source"));
    if (!source) reader.fail(Reader::join(at, "source"), "is not the name of a source");
    counter.agreement.push_back({source.value_or(SourceId{}), reader.interval(item, at, "ratio")});
  }
  return counter;
}

std::vector<std::string> read_reasons(Reader& reader, const Json& json, const std::string& place) {
  std::vector<std::string> reasons;
  for (const Json& reason : reader.list(json, place, "reasons")) {
    if (!reason.is_string()) {
      reader.fail(Reader::join(place, "reasons"), "must hold strings");
      break;
    }
    reasons.push_back(reason.get<std::string>());
  }
  return reasons;
}

CalibrationTerm read_term(Reader& reader, const Json& json, const std::string& place) {
  const std::string type = reader.text(json, place, "type");
  if (type != "A" && type != "B") reader.fail(Reader::join(place, "type"), "must be A or B");
  return {.name = reader.text(json, place, "name"),
          .type = type.empty() ? 'A' : type.front(),
          .gain = reader.number(json, place, "gain"),
          .offset_w = reader.number(json, place, "offset_w")};
}

std::optional<ScopeFinding> read_scopes(Reader& reader, const Json& source,
                                        const std::string& outside) {
  const Json& json = reader.member(source, outside, "scopes");
  if (json.is_null()) return std::nullopt;
  const std::string place = Reader::join(outside, "scopes");
  ScopeFinding finding{.cpu_response_w = reader.optional_interval(json, place, "cpu_response_w"),
                       .gpu_response_w = reader.optional_interval(json, place, "gpu_response_w"),
                       .excess_w = reader.optional_interval(json, place, "excess_w")};
  const std::string alias = reader.word(json, place, "alias_of");
  finding.alias_of = parse_source(alias);
  if (!alias.empty() && !finding.alias_of) {
    reader.fail(Reader::join(place, "alias_of"), "is not the name of a source");
  }
  return finding;
}

std::vector<LevelFinding> read_levels(Reader& reader, const Json& source,
                                      const std::string& outside) {
  std::vector<LevelFinding> levels;
  for (const Json& item : reader.list(source, outside, "levels")) {
    const std::string at = fmt::format("{}.levels[{}]", outside, levels.size());
    levels.push_back({reader.number(item, at, "level"), reader.interval(item, at, "share"),
                      reader.interval(item, at, "later_s")});
  }
  return levels;
}

SourceProfile read_source(Reader& reader, const Json& json, const std::string& place) {
  SourceProfile source;
  source.source = reader.source(json, place);
  source.update_period_s = reader.optional_interval(json, place, "update_period_s");
  source.averaging_window_s = reader.optional_interval(json, place, "averaging_window_s");
  source.time_constant_s = reader.optional_interval(json, place, "time_constant_s");
  source.delay_s = reader.optional_interval(json, place, "delay_s");
  source.rise_time_s = reader.optional_interval(json, place, "rise_time_s");
  source.response = reader.word(json, place, "response");
  source.duty = reader.optional_number(json, place, "duty");
  source.quantum = reader.optional_number(json, place, "quantum");
  source.gain = reader.optional_interval(json, place, "gain");
  source.offset_w = reader.optional_interval(json, place, "offset_w");
  source.levels = read_levels(reader, json, place);
  source.counter = read_counter(reader, json, place);
  source.catalogue = read_catalogue(reader, json, place);
  source.needs_s = reader.optional_number(json, place, "needs_s");
  source.scopes = read_scopes(reader, json, place);
  source.verdict = reader.word(json, place, "verdict");
  source.reasons = read_reasons(reader, json, place);
  const Json& values = reader.member(json, place, "protocol_values");
  if (values.is_object()) {
    const std::string inside = Reader::join(place, "protocol_values");
    for (const auto& [key, value] : values.items()) {
      source.protocol_values[key] = reader.number(values, inside, key.c_str());
    }
  }
  return source;
}

std::vector<SourceProfile> read_sources(Reader& reader, const Json& json,
                                        const std::string& outside) {
  std::vector<SourceProfile> sources;
  for (const Json& source : reader.list(json, outside, "sources")) {
    const std::string place =
        fmt::format("{}[{}]", Reader::join(outside, "sources"), sources.size());
    sources.push_back(read_source(reader, source, place));
  }
  return sources;
}

std::optional<SourceId> read_recommended(Reader& reader, const Json& json) {
  const std::string name = reader.word(json, "", "recommended_source");
  const auto source = parse_source(name);
  if (!name.empty() && !source) reader.fail("recommended_source", "is not the name of a source");
  return source;
}

/// Parses the text and checks its schema.
Result<Json> parse(std::string_view text, std::string_view origin, std::string_view schema) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& failure) {
    return Unexpected(Errc::parse, fmt::format("{} is not JSON: {}", origin, failure.what()));
  }
  Reader reader(origin);
  const std::string found = reader.text(json, "", "schema");
  if (reader.error()) return Unexpected(*reader.error());
  if (found == schema) return json;
  const std::string_view family = schema.substr(0, schema.find('/') + 1);
  if (found.starts_with(family)) {
    return Unexpected(Errc::unsupported,
                      fmt::format("{} has schema {}, this truewatt reads {}: update truewatt",
                                  origin, found, schema));
  }
  return Unexpected(Errc::parse,
                    fmt::format("{} has schema {}, wanted is {}", origin, found, schema));
}

}  // namespace

std::string profile_to_json(const Profile& profile) {
  const auto& recommended = profile.recommended_source;
  OrderedJson json = {
      {"schema", kProfileSchema},
      {"device", json_of(profile.device)},
      {"created", profile.created},
      {"duration_s", profile.duration_s},
      {"recommended_source", word_or_null(recommended ? to_string(*recommended) : "")}};
  if (!profile.protocol.empty()) json["protocol"] = profile.protocol;
  json["sources"] = list_of(profile.sources);
  json["host"] = list_of(profile.host);
  return text_of(json);
}

Result<Profile> profile_from_json(std::string_view text, std::string_view origin) {
  const auto json = parse(text, origin, kProfileSchema);
  if (!json) return Unexpected(json.error());
  Reader reader(origin);
  Profile profile;
  profile.device = reader.device(*json);
  profile.created = reader.text(*json, "", "created");
  profile.duration_s = reader.number(*json, "", "duration_s");
  profile.protocol = reader.word(*json, "", "protocol");
  profile.recommended_source = read_recommended(reader, *json);
  profile.sources = read_sources(reader, *json, "");
  for (const Json& host : reader.list(*json, "", "host")) {
    const std::string place = fmt::format("host[{}]", profile.host.size());
    profile.host.push_back({reader.device(host, place), read_sources(reader, host, place)});
  }
  if (reader.error()) return Unexpected(*reader.error());
  return profile;
}

std::string calibration_to_json(const Calibration& calibration) {
  return text_of({{"schema", kCalibrationSchema},
                  {"device", json_of(calibration.device)},
                  {"source", to_string(calibration.source.kind)},
                  {"scope", to_string(calibration.source.scope)},
                  {"created", word_or_null(calibration.created)},
                  {"gain", json_of(calibration.gain)},
                  {"offset_w", json_of(calibration.offset_w)},
                  {"r_squared", json_of(calibration.r_squared)},
                  {"meter", calibration.meter},
                  {"levels", list_of(calibration.levels)},
                  {"terms", list_of(calibration.terms)},
                  {"reasons", calibration.reasons}});
}

Result<Calibration> calibration_from_json(std::string_view text, std::string_view origin) {
  const auto json = parse(text, origin, kCalibrationSchema);
  if (!json) return Unexpected(json.error());
  Reader reader(origin);
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
  calibration.reasons = read_reasons(reader, *json, "");
  if (reader.error()) return Unexpected(*reader.error());
  return calibration;
}

}  // namespace truewatt::store
