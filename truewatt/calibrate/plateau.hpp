#pragma once

#include <optional>

#include "truewatt/base/time_span.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::calibrate {

struct PlateauMeans {
  std::optional<Watts> sensor;
  std::optional<Watts> meter;
};

/// The later half of a window but for its last twelfth: of a 6 s step what Yang 2024's artifact
/// calls the plateau, 3 to 5.5 s. Nothing for windows below 2.5 s: a board may rise for 0.3 s and
/// an average cover 1 s.
std::optional<HostSpan> plateau_span(const Window& window);

/// Means of a power source's held readings and of the meter over the window's plateau.
PlateauMeans plateau_of(const Trace& trace, const std::optional<trace::MeterTrace>& meter,
                        const Window& window);

/// The meter's mean over a stretch that it covers.
std::optional<Watts> mean_metered_power(const trace::MeterTrace& meter, const HostSpan& span);

}  // namespace truewatt::calibrate
