#pragma once

namespace truewatt::energy {

/// No board in use draws less: what shows less does not measure, W.
inline constexpr double kDrawsNothing = 0.5;

}  // namespace truewatt::energy
