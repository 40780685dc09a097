#pragma once

#include <optional>
#include <string_view>

#include "truewatt/base/units.hpp"

namespace truewatt::energy {

/// Which idle net energy counts from. Idle is not one number: a board draws less asleep than with a
/// context, and more right after work.
enum class BaselineKind {
  before,  ///< the last quiet stretch before the window
  lowest,  ///< the lowest quiet stretch of the recording
  given,   ///< the user's watts
};
/// "before", "lowest", "given".
constexpr std::string_view to_string(BaselineKind kind) {
  switch (kind) {
    case BaselineKind::before:
      return "before";
    case BaselineKind::lowest:
      return "lowest";
    case BaselineKind::given:
      break;
  }
  return "given";
}

/// The kind of this name; absent where none has it.
constexpr std::optional<BaselineKind> parse_baseline_kind(std::string_view name) {
  for (const auto kind : {BaselineKind::before, BaselineKind::lowest, BaselineKind::given}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

/// What a board's idle is, as far as its clocks, P-state and memory in use show it.
enum class IdleRung {
  asleep,   ///< in an idle P-state (8 and above)
  bare,     ///< awake, without a context
  context,  ///< a context exists, nothing runs
  active,   ///< after work: clocks are still up
};
/// "asleep", "bare", "context", "active".
constexpr std::string_view to_string(IdleRung rung) {
  switch (rung) {
    case IdleRung::asleep:
      return "asleep";
    case IdleRung::bare:
      return "bare";
    case IdleRung::context:
      return "context";
    case IdleRung::active:
      break;
  }
  return "active";
}
/// The rung of this name; absent where none has it.
constexpr std::optional<IdleRung> parse_idle_rung(std::string_view name) {
  for (const auto rung : {IdleRung::asleep, IdleRung::bare, IdleRung::context, IdleRung::active}) {
    if (name == to_string(rung)) return rung;
  }
  return std::nullopt;
}

/// What is wanted of it: absent, the stretch before the window, and where none is the lowest.
struct BaselineRule {
  std::optional<BaselineKind> kind{};
  Watts given{0};  ///< of BaselineKind::given: as a result prints it
};

}  // namespace truewatt::energy
