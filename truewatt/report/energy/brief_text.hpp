#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/report/page/paint.hpp"

namespace truewatt::report {

/// `2920 J ± 12 J (0.41 %)`: on the scale of its sensor, which is what differs from run to run.
std::string on_scale_text(const energy::EnergyInterval& energy);

/// `± 230 J (7.9 %) against a wattmeter (never calibrated)`: with gain and offset of the board.
std::string against_meter_text(const energy::EnergyInterval& energy, bool is_calibrated);

/// `above idle (84.2 W)` and before it the number, or that there is none, or that idle would have
/// taken as much.
std::string above_idle_text(const energy::EnergyEstimate& estimate);

/// `result: ± 0.41 %`, `imprecise: ± 8.2 %; ...` or `none: ...`: the one status, and why.
std::string status_text(const energy::EnergyEstimate& estimate);
/// What to do about `phase_lock_not_excluded` where the board was never characterized; ""
/// elsewhere.
std::string_view lock_advice(const energy::EnergyEstimate& estimate);
/// The same lines with that first word of theirs in its colour.
std::string paint_status(std::string lines, const energy::EnergyEstimate& estimate,
                         const Paint& paint);

}  // namespace truewatt::report
