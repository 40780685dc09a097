#pragma once

#include <string>

#include "truewatt/analyze/results.hpp"
#include "truewatt/calibrate/results.hpp"
#include "truewatt/measure/results.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/report/catalogue/catalogue.hpp"
#include "truewatt/report/energy/html.hpp"
#include "truewatt/report/profile/profile_html.hpp"
#include "truewatt/report/replication/burtscher_html.hpp"

namespace truewatt::report {

/// Made-up results for the tests of this layer: every field set, every kind of absence, names that
/// try to break out of their place. Deterministic.
measure::EnergyRun sample_run();          ///< a load on two simulated devices, one of them unknown
measure::EnergyRun sample_command_run();  ///< a command on one device
measure::EnergyRun sample_node_run();     ///< the same beside its host: one total, one refusal
analyze::Analysis sample_analysis();      ///< two sources, one held against a meter
/// An A100 and a profile of every outcome: agreement, differences, too little, nothing published.
CatalogueView sample_catalogue();
/// A fitted source, a trailing one, one whose window is only bounded, one that may not be read.
ProfilePage sample_profile();
/// A K20 by closed forms, and a source that averages.
BurtscherPage sample_burtscher();
/// One source with three levels, and one that could not be calibrated.
calibrate::CalibrationRun sample_calibration();
/// A row of every outcome, a curve by misses and one by time, sweep and line.
memory::Table sample_memory();
Page sample_page();  ///< three sections: one GPU, several windows, a long log

/// A name that HTML or a script block must not take literally.
inline constexpr const char* kHostileName = "</script><img src=x onerror=alert(1)> & \"friends\" '";

}  // namespace truewatt::report
