#include "truewatt/sensor/meter/tick_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/trace/formats/meters/pmd_dump.hpp"
#include "truewatt/trace/formats/meters/pmd_frames.hpp"

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kLatest = 1s;        // that a stamp may be late
constexpr Nanoseconds kConfirmed = 500ms;  // of stamps behind a lost turn
constexpr Nanoseconds kShortestFit = 2s;
constexpr double kWorstRate = 0.02;

/// By how much the host is ahead of the ticks at their nominal rate, ms.
double ahead_ms(const TickStamp& stamp, const TickStamp& first) {
  return 1e3 * seconds_between(first.seen, stamp.seen) -
         static_cast<double>(stamp.ticks - first.ticks) / trace::kPmdTicksPerMs;
}

/// The least of it within kLatest from a stamp on: what is only late has come by then.
double least_ahead(std::span<const TickStamp> stamps, std::size_t from) {
  double least = ahead_ms(stamps[from], stamps[0]);
  for (std::size_t i = from; i < stamps.size() && stamps[i].seen - stamps[from].seen < kLatest;
       ++i) {
    least = std::min(least, ahead_ms(stamps[i], stamps[0]));
  }
  return least;
}

}  // namespace

HostTime TickLine::at(std::int64_t tick) const {
  return time + to_nanoseconds(Seconds(1e-3 * static_cast<double>(tick - ticks) / ticks_per_ms));
}

std::vector<std::int64_t> lost_turns(std::span<const TickStamp> stamps) {
  const double turn_ms = static_cast<double>(trace::kPmdWrap) / trace::kPmdTicksPerMs;
  std::vector<std::int64_t> turns(stamps.size(), 0);
  double before = stamps.empty() ? 0.0 : least_ahead(stamps, 0);
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    turns[i] = turns[i - 1];
    if (stamps.back().seen - stamps[i].seen < kConfirmed) continue;
    const double now = least_ahead(stamps, i);
    turns[i] += std::max<std::int64_t>(0, std::llround((now - before) / turn_ms));
    before = now;
  }
  return turns;
}

Result<TickLine> fit_ticks(std::span<const TickStamp> stamps) {
  if (stamps.empty()) return Unexpected(Errc::insufficient_data, "the meter sent no readings");
  const TickStamp& first = stamps.front();
  std::vector<double> ticks;
  std::vector<double> ms;
  double late = 0.0;
  for (const TickStamp& stamp : stamps) {
    ticks.push_back(static_cast<double>(stamp.ticks - first.ticks));
    ms.push_back(1e3 * seconds_between(first.seen, stamp.seen));
    late += ahead_ms(stamp, first) / static_cast<double>(stamps.size());
  }
  const auto fit = numerics::fit_line(ticks, ms);
  if (!fit || stamps.back().seen - first.seen < kShortestFit) {
    return TickLine{trace::kPmdTicksPerMs, first.ticks,
                    first.seen + to_nanoseconds(Seconds(1e-3 * late))};
  }
  const double rate = 1.0 / fit->slope;
  if (!(std::abs(rate / trace::kPmdTicksPerMs - 1.0) < kWorstRate)) {
    return Unexpected(Errc::device,
                      fmt::format("the meter's clock ran at {:.0f} ticks/ms, expected is {:.0f}: "
                                  "readings were lost; use a shorter cable or another port",
                                  rate, trace::kPmdTicksPerMs));
  }
  return TickLine{rate, first.ticks, first.seen + to_nanoseconds(Seconds(1e-3 * fit->at(0).value))};
}

}  // namespace truewatt::sensor
