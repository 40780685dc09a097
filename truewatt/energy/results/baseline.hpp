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

/// What is wanted of it: absent, the stretch before the window, and where none is the lowest.
struct BaselineRule {
  std::optional<BaselineKind> kind{};
  Watts given{0};  ///< of BaselineKind::given: as a result prints it
};

}  // namespace truewatt::energy
