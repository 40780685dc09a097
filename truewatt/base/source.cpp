#include "truewatt/base/source.hpp"

#include <array>
#include <utility>

namespace truewatt {
namespace {

constexpr std::array<std::pair<SourceKind, std::string_view>, 5> kKinds = {{
    {SourceKind::power_usage, "power.usage"},
    {SourceKind::power_average, "power.average"},
    {SourceKind::power_instant, "power.instant"},
    {SourceKind::power_samples, "power.samples"},
    {SourceKind::energy_counter, "energy.counter"},
}};

constexpr std::array<std::pair<Scope, std::string_view>, 4> kScopes = {{
    {Scope::gpu, "gpu"},
    {Scope::module, "module"},
    {Scope::memory, "memory"},
    {Scope::cpu, "cpu"},
}};

template <class Table, class Enum>
std::string_view name_of(const Table& table, Enum value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "unknown";
}

template <class Enum, class Table>
std::optional<Enum> value_of(const Table& table, std::string_view name) {
  for (const auto& [entry, entry_name] : table) {
    if (entry_name == name) return entry;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(SourceKind kind) { return name_of(kKinds, kind); }
std::string_view to_string(Scope scope) { return name_of(kScopes, scope); }

std::string to_string(SourceId source) {
  std::string text(to_string(source.kind));
  if (source.scope != Scope::gpu) text.append("@").append(to_string(source.scope));
  return text;
}

std::optional<SourceKind> parse_source_kind(std::string_view name) {
  return value_of<SourceKind>(kKinds, name);
}
std::optional<Scope> parse_scope(std::string_view name) { return value_of<Scope>(kScopes, name); }

std::optional<SourceId> parse_source(std::string_view name) {
  const auto at = name.find('@');
  const auto kind = parse_source_kind(name.substr(0, at));
  const auto scope =
      at == std::string_view::npos ? std::optional(Scope::gpu) : parse_scope(name.substr(at + 1));
  if (!kind || !scope) return std::nullopt;
  return SourceId{*kind, *scope};
}

}  // namespace truewatt
