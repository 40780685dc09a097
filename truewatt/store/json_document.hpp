#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/coded.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/model/profile.hpp"

// What the JSON files of this layer share; for its sources only.
namespace truewatt::store {

using Json = nlohmann::json;
/// Keeps the schema's order of keys; slow to read into.
using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const Interval& interval);
OrderedJson json_of(const DeviceIdentity& device);
/// "" stands for a word that was not found out.
OrderedJson word_or_null(const std::string& word);
template <class Enum>
std::vector<std::string> codes_of(const std::vector<Coded<Enum>>& coded) {
  std::vector<std::string> codes;
  for (const Coded<Enum>& one : coded) codes.push_back(one.code());
  return codes;
}
/// The document as a file holds it.
std::string text_of(const OrderedJson& json);

/// Parses the text and checks its schema, as in "truewatt.profile/1". Errors: parse, unsupported
/// for a newer schema.
Result<Json> parse_document(std::string_view text, std::string_view origin,
                            std::string_view schema);

/// Reads values out of a JSON document and keeps the first thing that is wrong, with its place.
/// Reading after an error gives harmless values.
class JsonReader {
 public:
  explicit JsonReader(std::string_view origin) : origin_(origin) {}

  const std::optional<Error>& error() const { return error_; }
  void fail(const std::string& place, std::string_view what);

  /// The member `key`; null when it is absent or when `object` is no object, which fails.
  const Json& member(const Json& object, const std::string& place, const char* key);
  double number(const Json& object, const std::string& place, const char* key);
  std::string text(const Json& object, const std::string& place, const char* key);
  /// null and absent are "".
  std::string word(const Json& object, const std::string& place, const char* key);
  std::optional<double> optional_number(const Json& object, const std::string& place,
                                        const char* key);
  Interval interval(const Json& object, const std::string& place, const char* key);
  std::optional<Interval> optional_interval(const Json& object, const std::string& place,
                                            const char* key);
  std::optional<std::string> optional_text(const Json& object, const std::string& place,
                                           const char* key);
  std::optional<bool> optional_truth(const Json& object, const std::string& place, const char* key);
  /// A list of objects or words; null and absent are the empty one.
  const Json& list(const Json& object, const std::string& place, const char* key);
  std::vector<std::string> words(const Json& object, const std::string& place, const char* key);
  /// Codes that only a newer truewatt knows are kept: what is written again loses nothing.
  template <class Enum>
  std::vector<Coded<Enum>> codes(const Json& object, const std::string& place, const char* key,
                                 std::optional<Enum> (*parse)(std::string_view)) {
    std::vector<Coded<Enum>> all;
    for (const std::string& word : words(object, place, key)) {
      all.push_back(Coded<Enum>::read(word, parse));
    }
    return all;
  }
  DeviceIdentity device(const Json& object, const std::string& outside = "");
  SourceId source(const Json& object, const std::string& place);

  static std::string join(const std::string& place, const char* key);

 private:
  std::string_view origin_;
  std::optional<Error> error_;
};

}  // namespace truewatt::store
