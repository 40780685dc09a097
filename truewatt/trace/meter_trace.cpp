#include "truewatt/trace/meter_trace.hpp"

#include <algorithm>

namespace truewatt::trace {
namespace {

using Samples = std::vector<MeterSample>;

/// Power at `time` on the line between its neighbours; `next` is the first sample not before it.
double power_at(Samples::const_iterator next, HostTime time) {
  if (next->time == time) return next->power_w;
  const MeterSample& last = *(next - 1);
  const double share = seconds_between(last.time, time) / seconds_between(last.time, next->time);
  return last.power_w + share * (next->power_w - last.power_w);
}

double trapezoid(MeterSample a, MeterSample b) {
  return 0.5 * (a.power_w + b.power_w) * seconds_between(a.time, b.time);
}

Result<MeterTrace> count_from_first_reading(MeterTrace meter, const Recording& recording) {
  const auto origin = first_reading(recording);
  if (!origin) return Unexpected(origin.error());
  for (MeterSample& sample : meter.samples) sample.time += origin->time_since_epoch();
  return meter;
}

Result<MeterTrace> align(MeterTrace meter, const Recording& recording) {
  const ClockAlignment clock(recording.clock_pairs);
  if (clock.empty()) {
    return Unexpected(Errc::unsupported,
                      "the meter counts from the epoch, and the recording does not say how its "
                      "clock stands to the epoch; give the meter as CSV in seconds since the "
                      "recording's first reading");
  }
  for (MeterSample& sample : meter.samples) {
    sample.time = *clock.to_host(DriverTime(sample.time.time_since_epoch()));
  }
  return meter;
}

}  // namespace

std::string_view to_string(Rail rail) {
  switch (rail) {
    case Rail::pcie1:
      return "PCIE1";
    case Rail::pcie2:
      return "PCIE2";
    case Rail::eps1:
      return "EPS1";
    case Rail::eps2:
      return "EPS2";
  }
  return "unknown";
}

Result<MeterTrace> place_meter(MeterTrace meter, const Recording& recording) {
  const MeterAxis axis = meter.axis;
  if (axis == MeterAxis::host) return meter;
  meter.axis = MeterAxis::host;
  return axis == MeterAxis::recording ? count_from_first_reading(std::move(meter), recording)
                                      : align(std::move(meter), recording);
}

std::optional<Joules> meter_energy(const MeterTrace& meter, HostTime begin, HostTime end) {
  const Samples& samples = meter.samples;
  if (samples.empty() || begin > end) return std::nullopt;
  if (samples.front().time > begin || samples.back().time < end) return std::nullopt;
  const auto at_or_after = [&samples](HostTime time) {
    return std::lower_bound(samples.begin(), samples.end(), time,
                            [](const MeterSample& s, HostTime t) { return s.time < t; });
  };
  auto next = at_or_after(begin);
  const auto last = at_or_after(end);
  MeterSample from{begin, power_at(next, begin)};
  double joules = 0.0;
  for (; next != last; ++next) {
    joules += trapezoid(from, *next);
    from = *next;
  }
  return Joules(joules + trapezoid(from, {end, power_at(last, end)}));
}

}  // namespace truewatt::trace
