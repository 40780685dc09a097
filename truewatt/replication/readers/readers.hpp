#pragma once

#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/energy/results/reader.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::replication {

/// What readers take: the first of `kKindsPolled` that was recorded of the GPU. Null where none of
/// them was.
const Trace* trace_to_read(const Recording& recording);

/// What a reader of the literature would have reported for a window, had it polled in place of the
/// capture: of NVML's power usage, or where that was not recorded of the first of power.average and
/// power.instant. Between polls the readings are those that the source held.
///
/// naive     the reading held, integrated over the window
/// sma       mean of background polls every 15 ms, times the window (Arafa 2020, section IV-A)
/// papi      the one reading at the window's end, times the window (section IV-B)
/// mtsm      mean of polls at 2 kHz while the work ran, times that time (section IV-C, Eq. 2);
///           without known activity, the window's
/// k20power  Burtscher 2014's formula (section 5): new readings, plus C times the symmetric
/// difference,
///           integrated where they are above active idle. C is the profile's time constant, or as
///           published, or the paper's 0.84 s for a K20; 0 for any other source, which is its plain
///           integral. Active idle is what the corrected readings settle at within a second after
///           the window, before it where nothing was read after.
///
/// yang needs more than a window (good_practice.hpp) and has no energy here. Pure; any thread.
energy::ReaderEnergy read_as(energy::Reader reader, const Recording& recording,
                             const Window& window, const energy::Knowledge& knowledge = {});

}  // namespace truewatt::replication
