#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/source_kind.hpp"

namespace truewatt {

/// Which part of the machine a reading covers. On a superchip, module = GPU + CPU.
enum class Scope { gpu, module, memory, cpu };

/// A source of readings: kind and scope. Printed `power.instant`, or `power.instant@module` when
/// the scope is not the GPU.
struct SourceId {
  SourceKind kind = SourceKind::power_instant;
  Scope scope = Scope::gpu;
  friend constexpr auto operator<=>(const SourceId&, const SourceId&) = default;
};

/// True for sources whose readings are joules, false for watts.
constexpr bool counts_energy(SourceId source) { return counts_energy(source.kind); }
constexpr bool comes_in_ring(SourceId source) { return comes_in_ring(source.kind); }

inline std::string_view to_string(SourceKind kind) { return row_of(kind).name; }
std::string_view to_string(Scope scope);
std::string to_string(SourceId source);
std::optional<SourceKind> parse_source_kind(std::string_view name);
std::optional<Scope> parse_scope(std::string_view name);
/// The inverse of to_string(SourceId).
std::optional<SourceId> parse_source(std::string_view name);

}  // namespace truewatt
