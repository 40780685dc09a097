#pragma once

#include <span>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// True when what is known to have run excludes that the load keeps in step with a source that
/// publishes every `period_s` seconds: it ran for many periods without a break, or its begins fall
/// evenly on all phases of the period and of its first harmonics, whatever the period is within its
/// interval (docs/method.md, section 6). False where nothing is known: a constant reading may be a
/// constant load or a locked one.
bool activity_excludes_lock(const Recording& recording, const Window& window,
                            const Interval& period_s);

/// True when what is known to have run within the window came in a regular rhythm faster than
/// `period_s`: a source that nobody characterized may look at a period of its own below that, and
/// keep in step with it (docs/method.md, section 6). Pure.
bool has_fast_rhythm(const Recording& recording, const Window& window, double period_s);

/// True where readings of a load, W, are all alike or repeat, as those of one in step with anything
/// fast are: false where what comes next differs each time. `above_w` is what the load draws above
/// idle on average. Pure.
bool shows_rhythm(std::vector<double> readings_w, double above_w);

/// What a source that updates every `period_s` and looks `looks_s` of it (averaging window and two
/// time constants) leaves unknown of a load in step with it that its readings show: one that
/// repeats after a whole number of its updates, two or more, so that what is hidden between two
/// readings is the same every time. Standard uncertainty of the energy from `begin` to `end`,
/// seconds on the readings' axis, in J; 0 where the readings do not repeat (docs/method.md, section
/// 6, eq. 14g). `readings` are in order of time. A load that repeats with every update shows
/// nothing. `sums`: readings in the window that are kept as such. Pure.
double hidden_in_repeats(std::span<const ticks::Tick> readings, double period_s, double looks_s,
                         double begin, double end, std::span<const CondensedStretch> sums = {});

}  // namespace truewatt::energy
