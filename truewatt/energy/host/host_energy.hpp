#pragma once

#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// What a mean of Grace's hwmon covers (SC'24, section VI; the driver's power1_average_interval).
inline constexpr Seconds kHostAveraging{0.05};

/// Gain and offset of one of the host's own meters, uncalibrated, type B. RAPL: 5 % of a package or
/// platform, 10 % of DRAM, standard uncertainties. These are assumptions:
/// published checks find RAPL in step with meters but for an offset that differs between machines,
/// larger of DRAM (Desrochers, Paradis, Weaver, MEMSYS 2016), and no scatter over machines that
/// a prior could be taken from. Grace's meters: as of GPU boards (catalogue::board_prior()).
ScaleUncertainty assumed_accuracy(SourceId source);

/// Energy of one window by one of the host's own sources (docs/method.md, section 13). No idle is
/// asked for beside it, as nobody keeps a CPU idle: gross energy alone, no baseline.
///
/// - An energy counter, asked evenly: the count at an edge lies between that of the last look
///   before it and the first value that was published after it.
/// - A mean power: every reading stands for the 50 ms before it, and is held on while none follows.
///
/// `resolve`: as in EstimateOptions. Never fails: without a number it carries reasons. Pure.
EnergyEstimate estimate_host_energy(const Recording& recording, SourceId source,
                                    const Window& window, double resolve = 0.05);

}  // namespace truewatt::energy
