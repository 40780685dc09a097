#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::trace {

/// The three rails of a card in Arafa 2020's set-up (Arafa et al., CF'20): shunts of `rs_ohm` in
/// the 3.3 V and the 12 V of its slot, with the voltages before (s) and behind (g) them, and a
/// current clamp around the cables of the 12 V supply.
struct ThreeRails {
  double vs1 = 0.0;  ///< V
  double vg1 = 0.0;
  double vs2 = 0.0;
  double vg2 = 0.0;
  double rs_ohm = 0.0;
  double i_clamp = 0.0;  ///< A
  double v_dps = 0.0;    ///< V
};

/// Its Eq. 3: P = (vs1 - vg1)/rs vg1 + (vs2 - vg2)/rs vg2 + i_clamp v_dps.
constexpr Watts three_rail_power(const ThreeRails& rails) {
  return Watts((rails.vs1 - rails.vg1) / rails.rs_ohm * rails.vg1 +
               (rails.vs2 - rails.vg2) / rails.rs_ohm * rails.vg2 + rails.i_clamp * rails.v_dps);
}

/// Reads any meter's readings from a CSV with the columns `t_s` (seconds) and `w` (watts), in any
/// order and beside others; or, instead of `w`, with those of three rails: `vs1_v`, `vg1_v`,
/// `vs2_v`, `vg2_v`, `rs_ohm`, `i_clamp_a`, `v_dps_v`. Times above `kEpochSecondsFrom` count from
/// the epoch, others from the recording's first reading; the first row decides. Watts are signed. A
/// row that cannot be read, or is not later than the one above, is counted in `bad_rows` and
/// skipped. `parse` without that header, `insufficient_data` with fewer than two readings.
Result<MeterTrace> parse_meter_csv(std::string_view text);

}  // namespace truewatt::trace
