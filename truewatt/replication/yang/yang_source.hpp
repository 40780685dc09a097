#pragma once

#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/replication/yang/yang_window.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::replication {

/// What one play of Yang 2024's protocol left: when its loads worked, seconds after `origin`.
struct YangLoads {
  struct Wave {
    double period = 0.0;  ///< s
    std::vector<identification::Work> work;
  };
  HostTime origin;
  identification::Work update_wave;                      ///< the whole of it
  std::vector<std::vector<identification::Work>> steps;  ///< by level, the highest first
  std::vector<Wave> waves;                               ///< of the six ratios
  std::vector<Wave> update_period_waves;                 ///< whose period is the update period
};

/// One source by the procedures of Yang 2024 (docs/method.md, section 9).
struct YangSource {
  SourceProfile profile;
  bool window_wanted = false;  ///< its rise is short enough for the window experiment
  std::vector<yang::WindowFit> fits;
  std::vector<yang::LossPoint> loss_curve;  ///< mean over the runs
};

/// Whatever the loads played so far tell of a source. Pure.
YangSource yang_source(const Trace& trace, const YangLoads& loads);

}  // namespace truewatt::replication
