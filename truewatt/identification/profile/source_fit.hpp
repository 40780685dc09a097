#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/model/no_model_reason.hpp"
#include "truewatt/trace/meter_trace.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

struct SourceFit {
  std::optional<Interval> averaging_window_s;
  std::optional<Interval> delay_s;
  std::optional<Interval> time_constant_s;
  std::optional<Interval> gain;
  std::optional<Interval> offset_w;
};

/// A fit, or why there is none.
struct FittedSource {
  std::optional<SourceFit> fit;
  std::vector<NoModelReason> reasons;
};

/// The observation model of one power source of recorded data: from a meter's power beside it, with
/// gain and offset, or from when a load of one level ran (the recording's activity or, without one,
/// its windows) without them. Nothing for an energy counter, and where the readings do not tell: a
/// reading every 20 ms sees a single step of a lag of 13 ms in six readings, which a window fits as
/// well. Pure.
FittedSource fit_source(const Trace& trace, const Recording& recording,
                        const std::optional<trace::MeterTrace>& meter,
                        const std::optional<Interval>& update_period);

}  // namespace truewatt::identification
