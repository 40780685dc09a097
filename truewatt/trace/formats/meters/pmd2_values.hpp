#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"

namespace truewatt::trace {

/// ElmorLabs' meters between power supply and computer. They differ in how many sensors an answer
/// holds.
enum class Pmd2Model { pmd2, pmd2x };
std::string_view name_of(Pmd2Model model);  ///< "PMD2", "PMD2X"

/// Bytes of an answer to SENSOR_VALUES as far as the sensors reach, and of a whole one. What is
/// behind them (totals, over-current flags) is not looked at; whether a PMD2X sends 10 or 16 flags
/// is not published, so two lengths are possible.
struct Pmd2Layout {
  std::size_t sensor_bytes = 0;
  std::size_t whole_bytes = 0;
  std::size_t whole_bytes_too = 0;
};
Pmd2Layout layout_of(Pmd2Model model);

/// The plugs that a GPU may be fed by, of the ten that are metered.
enum class Pmd2Rail { hpwr, eps1, eps2, pcie1, pcie2, pcie3 };
inline constexpr std::size_t kPmd2Rails = 6;

/// One answer. A plug with nothing on it reads about 0 W.
struct Pmd2Values {
  std::array<double, kPmd2Rails> watts{};  ///< by Pmd2Rail; signed
  /// Of all these plugs: what the GPU draws, when nothing else hangs on them and its slot does. The
  /// plugs of the mainboard (ATX) are not in it.
  Watts total() const;
};

/// Reads an answer to SENSOR_VALUES: little-endian, packed; 16-bit supply voltage and chip
/// temperature (a PMD2X: and two more temperatures), then for ATX 12 V, 5 V, 5 V standby, 3.3 V,
/// HPWR, EPS1, EPS2, PCIE1 to PCIE3 (a PMD2X: and the six wires of HPWR) 16-bit millivolts, 32-bit
/// milliamperes, 32-bit milliwatts (facts from ElmorLabs' host software, PMD2_Device.cs). Errors:
/// insufficient_data for too few bytes, parse for an answer whose powers are not its voltages times
/// its currents, as of bytes out of step.
Result<Pmd2Values> parse_pmd2_values(std::string_view bytes, Pmd2Model model);

}  // namespace truewatt::trace
