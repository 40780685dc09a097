#include "truewatt/model/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "truewatt/model/catalogue_tables.hpp"

namespace truewatt::catalogue {
namespace {

constexpr std::array kEras = {Era::pre_530, Era::v530, Era::post_530};

/// "525.105.17" as 525 and 105.
struct Version {
  int major = 0;
  int minor = 0;
};

std::optional<Version> parse_version(std::string_view text) {
  if (text.empty() || text.front() == '-') return std::nullopt;
  Version version;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc()) return std::nullopt;
  if (minor.ptr != end && *minor.ptr != '.') return std::nullopt;
  return version;
}

bool answers(const DriverHints& hints, SourceKind kind) {
  const auto& sources = hints.answering;
  return std::find(sources.begin(), sources.end(), SourceId{kind, Scope::gpu}) != sources.end();
}

/// `name` begins with the words of `start`, whatever the case.
bool begins_with_words(std::string_view name, std::string_view start) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  if (start.empty() || start.size() > name.size()) return false;
  if (!std::equal(start.begin(), start.end(), name.begin(), same)) return false;
  return name.size() == start.size() || name[start.size()] == ' ' || start.back() == ' ';
}

}  // namespace

std::span<const Era> eras() { return kEras; }

std::string_view key_of(Era era) {
  constexpr std::array<std::string_view, 3> kKeys = {"pre-530", "530", "post-530"};
  return kKeys.at(static_cast<std::size_t>(era));
}

std::string_view name_of(Era era) {
  constexpr std::array<std::string_view, 3> kNames = {"before 530", "530", "after 530"};
  return kNames.at(static_cast<std::size_t>(era));
}

std::string_view name_of(Response response) {
  constexpr std::array<std::string_view, 5> kNames = {"instant", "ramp", "logarithmic", "estimated",
                                                      "unsupported"};
  return kNames.at(static_cast<std::size_t>(response));
}

std::string_view name_of(Provenance provenance) {
  constexpr std::array<std::string_view, 4> kNames = {"figure", "text", "spreadsheet", "recorded"};
  return kNames.at(static_cast<std::size_t>(provenance));
}

std::vector<Family> families_named(std::string_view name) {
  std::vector<Family> named;
  for (const Family family : families()) {
    if (name.size() == key_of(family).size() && begins_with_words(key_of(family), name)) {
      return {family};
    }
    if (begins_with_words(name_of(family), name)) named.push_back(family);
  }
  return named;
}

std::optional<Era> era_of(std::string_view version) {
  const auto parsed = parse_version(version);
  if (!parsed) return std::nullopt;
  const auto [major, minor] = *parsed;
  // 525.105.17 and 525.116.04 have the new queries in the spreadsheet's rows of H100, A100, V100,
  // P100 and Turing boards; 525.89 is of February 2023.
  if (major == 525) return minor >= 105 ? Era::post_530 : Era::pre_530;
  if (major == 530) return Era::v530;
  if (major >= 535) return Era::post_530;
  const bool before_and_after = major == 450 || major == 470 || major == 515;
  if (before_and_after || major > 525) return std::nullopt;
  return Era::pre_530;
}

std::vector<Era> possible_eras(const DriverHints& hints) {
  if (answers(hints, SourceKind::power_average) || answers(hints, SourceKind::power_instant)) {
    return {Era::post_530};
  }
  if (const auto era = era_of(hints.version)) return {*era};
  if (answers(hints, SourceKind::power_usage)) return {Era::pre_530, Era::v530};
  return {kEras.begin(), kEras.end()};
}

std::vector<Entry> find_entries(Family family, SourceId source, const DriverHints& hints) {
  const std::vector<Era> possible = possible_eras(hints);
  std::vector<Entry> found;
  for (const Entry& entry : entries(family)) {
    const bool in_time = std::find(possible.begin(), possible.end(), entry.era) != possible.end();
    if (in_time && entry.source == source) found.push_back(entry);
  }
  return found;
}

std::vector<Finding> findings(Family family) {
  std::vector<Finding> found;
  for (const Finding& finding : all_findings()) {
    if (finding.family == family) found.push_back(finding);
  }
  return found;
}

}  // namespace truewatt::catalogue
