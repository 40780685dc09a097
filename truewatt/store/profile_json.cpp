#include <fmt/format.h>

#include "truewatt/store/json_document.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::store {
namespace {

using store::json_of;

constexpr std::string_view kProfileSchema = "truewatt.profile/1";

OrderedJson json_of(const CatalogueMatch& match);
OrderedJson json_of(const CounterProfile& counter);
OrderedJson json_of(const SourceProfile& source);
OrderedJson json_of(const HostProfile& host);
OrderedJson json_of(const ScopeFinding& finding);
OrderedJson json_of(const LevelFinding& finding);
OrderedJson json_of(const BoardTransient& transient);

template <class T>
OrderedJson json_of(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    return json_of(*value);
  } else {
    return *value;
  }
}

OrderedJson json_of(const CatalogueMatch& match) {
  return {{"code", json_of(match.code)}, {"agrees", json_of(match.agrees)}};
}

OrderedJson json_of(const EnergyAgreement& agreement) {
  return {{"source", to_string(agreement.source)},
          {"ratio", json_of(agreement.ratio)},
          {"power_w", json_of(agreement.power_w)}};
}

template <class T>
OrderedJson list_of(const std::vector<T>& values) {
  OrderedJson list = OrderedJson::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

OrderedJson json_of(const CounterProfile& counter) {
  return {{"counting", counter.counting.code()},
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

OrderedJson json_of(const BoardTransient& transient) {
  return {{"share", json_of(transient.share)},
          {"time_constant_s", json_of(transient.time_constant_s)}};
}

OrderedJson json_of(const std::optional<FittedModel>& fitted) {
  if (!fitted) return nullptr;
  return {{"averaging_window_s", json_of(fitted->averaging_window_s)},
          {"time_constant_s", json_of(fitted->time_constant_s)},
          {"age_s", json_of(fitted->age_s)},
          {"jitter_s", fitted->jitter_s},
          {"board", fitted->board ? list_of(*fitted->board) : OrderedJson(nullptr)}};
}

OrderedJson json_of(const SourceProfile& source) {
  OrderedJson json = {{"source", to_string(source.source.kind)},
                      {"scope", to_string(source.source.scope)},
                      {"update_period_s", json_of(source.update_period_s)},
                      {"averaging_window_s", json_of(source.averaging_window_s)},
                      {"time_constant_s", json_of(source.time_constant_s)},
                      {"delay_s", json_of(source.delay_s)},
                      {"rise_time_s", json_of(source.rise_time_s)},
                      {"total_lag_s", json_of(source.total_lag_s)},
                      {"fitted", json_of(source.fitted)},
                      {"response", word_or_null(source.response.code())},
                      {"duty", json_of(source.duty)},
                      {"quantum", json_of(source.quantum)},
                      {"gain", json_of(source.gain)},
                      {"offset_w", json_of(source.offset_w)},
                      {"counter", json_of(source.counter)},
                      {"catalogue", json_of(source.catalogue)},
                      {"needs_s", json_of(source.needs_s)},
                      {"scopes", json_of(source.scopes)},
                      {"verdict", word_or_null(source.verdict.code())},
                      {"reasons", codes_of(source.reasons)}};
  if (!source.levels.empty()) json["levels"] = list_of(source.levels);
  if (!source.protocol_values.empty()) json["protocol_values"] = source.protocol_values;
  return json;
}

OrderedJson json_of(const Steadiness& steadiness) {
  const auto& source = steadiness.source;
  return {{"warm_up_s", steadiness.warm_up_s},
          {"source", word_or_null(source ? to_string(*source) : "")},
          {"idle_drift_w_per_s", json_of(steadiness.idle_drift_w_per_s)},
          {"work_drift_w_per_s", json_of(steadiness.work_drift_w_per_s)},
          {"temperature_begin_c", json_of(steadiness.temperature_begin_c)},
          {"temperature_end_c", json_of(steadiness.temperature_end_c)},
          {"reasons", codes_of(steadiness.reasons)}};
}

OrderedJson json_of(const HostProfile& host) {
  return {{"device", json_of(host.device)}, {"sources", list_of(host.sources)}};
}

std::optional<CatalogueMatch> read_catalogue(JsonReader& reader, const Json& json,
                                             const std::string& place) {
  const Json& match = reader.member(json, place, "catalogue");
  if (match.is_null()) return std::nullopt;
  const std::string inside = JsonReader::join(place, "catalogue");
  return CatalogueMatch{.code = reader.optional_text(match, inside, "code"),
                        .agrees = reader.optional_truth(match, inside, "agrees")};
}

std::optional<CounterProfile> read_counter(JsonReader& reader, const Json& json,
                                           const std::string& place) {
  const Json& object = reader.member(json, place, "counter");
  if (object.is_null()) return std::nullopt;
  const std::string inside = JsonReader::join(place, "counter");
  CounterProfile counter{
      .counting = Coded<Counting>::read(reader.word(object, inside, "counting"), parse_counting),
      .inner_period_s = reader.optional_number(object, inside, "inner_period_s"),
      .gap_begin_s = reader.optional_number(object, inside, "gap_begin_s"),
      .gap_length_s = reader.optional_interval(object, inside, "gap_length_s")};
  for (const Json& item : reader.list(object, inside, "agreement")) {
    const std::string at = fmt::format("{}.agreement[{}]", inside, counter.agreement.size());
    const auto source = parse_source(reader.text(item, at, "source"));
    if (!source) reader.fail(JsonReader::join(at, "source"), "is not the name of a source");
    counter.agreement.push_back({source.value_or(SourceId{}), reader.interval(item, at, "ratio"),
                                 reader.optional_number(item, at, "power_w")});
  }
  return counter;
}

std::optional<ScopeFinding> read_scopes(JsonReader& reader, const Json& source,
                                        const std::string& outside) {
  const Json& json = reader.member(source, outside, "scopes");
  if (json.is_null()) return std::nullopt;
  const std::string place = JsonReader::join(outside, "scopes");
  ScopeFinding finding{.cpu_response_w = reader.optional_interval(json, place, "cpu_response_w"),
                       .gpu_response_w = reader.optional_interval(json, place, "gpu_response_w"),
                       .excess_w = reader.optional_interval(json, place, "excess_w")};
  const std::string alias = reader.word(json, place, "alias_of");
  finding.alias_of = parse_source(alias);
  if (!alias.empty() && !finding.alias_of) {
    reader.fail(JsonReader::join(place, "alias_of"), "is not the name of a source");
  }
  return finding;
}

std::optional<Steadiness> read_steadiness(JsonReader& reader, const Json& profile) {
  const Json& json = reader.member(profile, "", "steadiness");
  if (json.is_null()) return std::nullopt;
  const std::string place = "steadiness";
  const std::string name = reader.word(json, place, "source");
  Steadiness steadiness{
      .warm_up_s = reader.optional_number(json, place, "warm_up_s").value_or(0.0),
      .source = parse_source(name),
      .idle_drift_w_per_s = reader.optional_interval(json, place, "idle_drift_w_per_s"),
      .work_drift_w_per_s = reader.optional_interval(json, place, "work_drift_w_per_s"),
      .temperature_begin_c = reader.optional_number(json, place, "temperature_begin_c"),
      .temperature_end_c = reader.optional_number(json, place, "temperature_end_c"),
      .reasons = reader.codes(json, place, "reasons", parse_steadiness_reason)};
  if (!name.empty() && !steadiness.source) {
    reader.fail(JsonReader::join(place, "source"), "is not the name of a source");
  }
  return steadiness;
}

std::vector<LevelFinding> read_levels(JsonReader& reader, const Json& source,
                                      const std::string& outside) {
  std::vector<LevelFinding> levels;
  for (const Json& item : reader.list(source, outside, "levels")) {
    const std::string at = fmt::format("{}.levels[{}]", outside, levels.size());
    levels.push_back({reader.number(item, at, "level"), reader.interval(item, at, "share"),
                      reader.interval(item, at, "later_s")});
  }
  return levels;
}

std::optional<FittedModel> read_fitted(JsonReader& reader, const Json& source,
                                       const std::string& outside) {
  const Json& json = reader.member(source, outside, "fitted");
  if (json.is_null()) return std::nullopt;
  const std::string place = JsonReader::join(outside, "fitted");
  FittedModel fitted{reader.interval(json, place, "averaging_window_s"),
                     reader.interval(json, place, "time_constant_s"),
                     reader.interval(json, place, "age_s")};
  // Earlier versions kept neither.
  fitted.jitter_s = reader.optional_number(json, place, "jitter_s").value_or(0.0);
  if (reader.member(json, place, "board").is_null()) return fitted;
  fitted.board.emplace();
  for (const Json& item : reader.list(json, place, "board")) {
    const std::string at = fmt::format("{}.board[{}]", place, fitted.board->size());
    fitted.board->push_back(
        {reader.interval(item, at, "share"), reader.interval(item, at, "time_constant_s")});
  }
  return fitted;
}

SourceProfile read_source(JsonReader& reader, const Json& json, const std::string& place) {
  SourceProfile source;
  source.source = reader.source(json, place);
  source.update_period_s = reader.optional_interval(json, place, "update_period_s");
  source.averaging_window_s = reader.optional_interval(json, place, "averaging_window_s");
  source.time_constant_s = reader.optional_interval(json, place, "time_constant_s");
  source.delay_s = reader.optional_interval(json, place, "delay_s");
  source.rise_time_s = reader.optional_interval(json, place, "rise_time_s");
  source.total_lag_s = reader.optional_interval(json, place, "total_lag_s");
  source.fitted = read_fitted(reader, json, place);
  source.response =
      Coded<ResponseClass>::read(reader.word(json, place, "response"), parse_response_class);
  source.duty = reader.optional_number(json, place, "duty");
  source.quantum = reader.optional_number(json, place, "quantum");
  source.gain = reader.optional_interval(json, place, "gain");
  source.offset_w = reader.optional_interval(json, place, "offset_w");
  source.levels = read_levels(reader, json, place);
  source.counter = read_counter(reader, json, place);
  source.catalogue = read_catalogue(reader, json, place);
  source.needs_s = reader.optional_number(json, place, "needs_s");
  source.scopes = read_scopes(reader, json, place);
  source.verdict =
      Coded<SourceVerdict>::read(reader.word(json, place, "verdict"), parse_source_verdict);
  source.reasons = reader.codes(json, place, "reasons", parse_profile_reason);
  const Json& values = reader.member(json, place, "protocol_values");
  if (values.is_object()) {
    const std::string inside = JsonReader::join(place, "protocol_values");
    for (const auto& [key, value] : values.items()) {
      source.protocol_values[key] = reader.number(values, inside, key.c_str());
    }
  }
  return source;
}

std::vector<SourceProfile> read_sources(JsonReader& reader, const Json& json,
                                        const std::string& outside) {
  std::vector<SourceProfile> sources;
  for (const Json& source : reader.list(json, outside, "sources")) {
    const std::string place =
        fmt::format("{}[{}]", JsonReader::join(outside, "sources"), sources.size());
    sources.push_back(read_source(reader, source, place));
  }
  return sources;
}

std::optional<SourceId> read_recommended(JsonReader& reader, const Json& json) {
  const std::string name = reader.word(json, "", "recommended_source");
  const auto source = parse_source(name);
  if (!name.empty() && !source) reader.fail("recommended_source", "is not the name of a source");
  return source;
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
  if (!profile.protocol.empty()) json["protocol"] = profile.protocol.code();
  if (profile.steadiness) json["steadiness"] = json_of(*profile.steadiness);
  json["sources"] = list_of(profile.sources);
  json["host"] = list_of(profile.host);
  return text_of(json);
}

Result<Profile> profile_from_json(std::string_view text, std::string_view origin) {
  const auto json = parse_document(text, origin, kProfileSchema);
  if (!json) return Unexpected(json.error());
  JsonReader reader(origin);
  Profile profile;
  profile.device = reader.device(*json);
  profile.created = reader.text(*json, "", "created");
  profile.duration_s = reader.number(*json, "", "duration_s");
  profile.protocol =
      Coded<PublishedProtocol>::read(reader.word(*json, "", "protocol"), parse_published_protocol);
  profile.recommended_source = read_recommended(reader, *json);
  profile.steadiness = read_steadiness(reader, *json);
  profile.sources = read_sources(reader, *json, "");
  for (const Json& host : reader.list(*json, "", "host")) {
    const std::string place = fmt::format("host[{}]", profile.host.size());
    profile.host.push_back({reader.device(host, place), read_sources(reader, host, place)});
  }
  if (reader.error()) return Unexpected(*reader.error());
  if (profile.sources.empty()) {
    return Unexpected(Errc::parse, fmt::format("{}: the profile describes no source; `truewatt "
                                               "characterize --json FILE` writes one that does",
                                               origin));
  }
  return profile;
}

}  // namespace truewatt::store
