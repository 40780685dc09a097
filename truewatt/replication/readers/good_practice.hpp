#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/time.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/trace/trace.hpp"

// The good practice of Yang 2024 (Yang, Adamek, Armour, SC'24, section V-A): energy of one
// execution from many. Pure functions.
namespace truewatt::replication {

/// Executions one after the other, without a pause.
struct ExecutionGroup {
  HostTime begin;
  HostTime end;
  int executions = 1;
};

/// What the paper does with the readings of a sensor, by how its averaging window W compares with
/// its update period T.
struct GoodPractice {
  Seconds period{0};   ///< T
  Seconds discard{0};  ///< executions that begin so early after the first one's begin do not count
  Seconds late{0};     ///< readings are those of so much earlier
  Seconds delay{0};    ///< idle after each eighth of the executions; 0: none
};

/// The paper's three cases (Figs. 15 to 17): W = T, 250 ms discarded; W > T, 250 ms and W; W < T,
/// 100 ms, and eight delays of W. In the first two the readings are moved by T, as in the authors'
/// code. A window within a tenth of the period is taken for the period.
GoodPractice good_practice(Seconds window, Seconds period);

/// The same by what is known of `source`: its window (where it is not resolved, the one that fits
/// best) and a lag, which hides work in the same way, counted twice. Nothing where the update
/// period is not known.
std::optional<GoodPractice> good_practice_of(const Profile* profile, SourceId source);

/// Joules of one execution: the readings held over every group, moved by `late`, without the
/// executions of the first `discard` of the first group, over the number of executions that count.
/// Nothing where none is left or the source was not polled throughout.
std::optional<Joules> energy_of_execution(const Trace& trace,
                                          const std::vector<ExecutionGroup>& groups,
                                          const GoodPractice& practice);

}  // namespace truewatt::replication
