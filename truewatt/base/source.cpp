#include "truewatt/base/source.hpp"

#include <array>
#include <utility>

namespace truewatt {
namespace {

constexpr std::array<std::pair<Scope, std::string_view>, 4> kScopes = {{
    {Scope::gpu, "gpu"},
    {Scope::module, "module"},
    {Scope::memory, "memory"},
    {Scope::cpu, "cpu"},
}};

}  // namespace

std::string_view to_string(Scope scope) {
  for (const auto& [entry, name] : kScopes) {
    if (entry == scope) return name;
  }
  return "unknown";
}

std::string to_string(SourceId source) {
  std::string text(to_string(source.kind));
  if (source.scope != Scope::gpu) text.append("@").append(to_string(source.scope));
  return text;
}

std::optional<SourceKind> parse_source_kind(std::string_view name) {
  for (const SourceKind kind : kSourceKinds) {
    if (row_of(kind).name == name) return kind;
  }
  return std::nullopt;
}

std::optional<Scope> parse_scope(std::string_view name) {
  for (const auto& [scope, scope_name] : kScopes) {
    if (scope_name == name) return scope;
  }
  return std::nullopt;
}

std::optional<SourceId> parse_source(std::string_view name) {
  const auto at = name.find('@');
  const auto kind = parse_source_kind(name.substr(0, at));
  const auto scope =
      at == std::string_view::npos ? std::optional(Scope::gpu) : parse_scope(name.substr(at + 1));
  if (!kind || !scope) return std::nullopt;
  return SourceId{*kind, *scope};
}

}  // namespace truewatt
