#pragma once

#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt::replication::yang {

/// The load of Yang 2024's first experiment (section IV-A): 10 ms on, 10 ms off, 500 times.
inline constexpr double kUpdateWavePeriod = 0.020;  // s
inline constexpr int kUpdateWaveCycles = 500;

/// Run lengths of a source's readings, seconds: from each change of value to the next, as a poller
/// saw them, between `from` and `until`. The stretch before the first change is of unknown length
/// and left out. Nothing else is: equal consecutive readings look like one long run, which is why
/// the paper takes the median (section IV-A; ticks::update_period does not need that excuse).
std::vector<double> run_lengths(const Trace& trace, HostTime from = HostTime::min(),
                                HostTime until = HostTime::max());

}  // namespace truewatt::replication::yang
