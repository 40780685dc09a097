#include "truewatt/calibrate/plateau.hpp"

#include "truewatt/trace/naive.hpp"

namespace truewatt::calibrate {
namespace {

constexpr double kShortestWithPlateau = 2.5;  // s

}  // namespace

std::optional<HostSpan> plateau_span(const Window& window) {
  const Nanoseconds length = window.end - window.begin;
  if (Seconds(length).count() < kShortestWithPlateau) return std::nullopt;
  return HostSpan{window.begin + length / 2, window.end - length / 12};
}

std::optional<Watts> mean_metered_power(const trace::MeterTrace& meter, const HostSpan& span) {
  const auto joules = trace::meter_energy(meter, span.begin, span.end);
  if (!joules) return std::nullopt;
  return *joules / span.length();
}

PlateauMeans plateau_of(const Trace& trace, const std::optional<trace::MeterTrace>& meter,
                        const Window& window) {
  const auto span = plateau_span(window);
  if (!span) return {};
  PlateauMeans means{.sensor = trace::mean_held_power(trace, span->begin, span->end)};
  if (meter) means.meter = mean_metered_power(*meter, *span);
  return means;
}

}  // namespace truewatt::calibrate
