#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace truewatt {

/// What a stretch of known work ran, and on how much of the device. Stretches of one kind drew
/// alike; how much they drew nobody says.
struct WorkKind {
  enum class Part { gpu, cpu };
  Part part = Part::gpu;
  std::string what{};             ///< a kernel, or a name that a user gave; empty: the load's own
  std::optional<double> level{};  ///< share of the part's multiprocessors or threads, if known

  friend bool operator==(const WorkKind&, const WorkKind&) = default;
  friend auto operator<=>(const WorkKind&, const WorkKind&) = default;
};

/// As run files keep it: "level=0.5", "cpu level=0.5", "fma.rn.f32, level=1", "my kernel".
std::string to_string(const WorkKind& kind);

/// The kind of such a text; what has no level in it is a name.
WorkKind parse_work_kind(std::string_view text);

}  // namespace truewatt
