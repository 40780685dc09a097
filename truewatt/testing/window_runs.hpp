#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/replication/yang/yang_window.hpp"
#include "truewatt/trace/trace.hpp"

// For the tests and the benchmark of window fits: runs like those of Yang 2024's artifact on a
// simulated device, so that both ways to fit see the same readings.
namespace truewatt::replication {

/// Half periods of the artifact's published fits, ms (tests/data/sc24/window_fits_*.csv).
inline constexpr std::array kHalfPeriodsA100{68.0, 76.0, 81.0, 122.0, 127.0, 136.0};
inline constexpr std::array kHalfPeriods1080Ti{13.0, 16.0, 24.0, 26.0};

/// One session: a run of 8 s per half period on one device, with pauses of 2 to 3 s, polled as the
/// artifact did: every 12 ms and what its child process took longer (13.3 ms on average, as in its
/// record of an A100; `poll_ms` sets the 12), stamps cut to milliseconds.
struct WindowSession {
  Recording recording;  ///< one trace, activity of all runs
  HostTime origin;
  std::vector<std::vector<identification::Work>> waves;  ///< seconds since origin, by run
};
WindowSession window_session(std::string_view device, std::span<const double> half_periods_ms,
                             double poll_ms, std::uint64_t seed);

/// The recording of one run of the session alone, with a second of idle on both sides.
Recording single_run(const WindowSession& session, std::size_t run);

/// Which part of a run is fitted by the paper's procedure.
enum class FittedPart {
  text,      ///< all but the first second (Yang 2024, section IV-C)
  artifact,  ///< from 40 to 50 % of the record of 10 s that begins with a second of idle
};
/// The paper's fit of one run; the update period is where it begins.
std::optional<yang::WindowFit> yang_fit(const WindowSession& session, std::size_t run,
                                        double update_period, FittedPart part);

/// W + 2C of the joint fit, which is what a fitted boxcar stands for; seconds. Nothing where the
/// readings do not tell the two.
std::optional<double> equivalent_window(const Recording& recording);

}  // namespace truewatt::replication
