#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/calibrate/plateau.hpp"
#include "truewatt/energy/aggregate/total.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/identification/profile/source_fit.hpp"
#include "truewatt/model/no_model_reason.hpp"

namespace truewatt::analyze {

/// One load-on interval of recorded data, in seconds since the recording's first reading.
struct AnalyzedWindow {
  double begin_s = 0.0;
  double end_s = 0.0;
  std::optional<double> naive_j;
  std::optional<Interval> energy_j;
  std::optional<double> meter_j;
  calibrate::PlateauMeans plateau;  ///< absent for windows too short to have one
  std::optional<energy::ProfileUse> profile;
  std::vector<energy::Reason> reasons;
};

struct AnalyzedSource {
  SourceId source;
  std::uint64_t samples = 0;  ///< readings after removing repeats
  std::optional<Interval> update_period_s;
  std::optional<identification::SourceFit> fit;
  std::vector<NoModelReason> reasons;         ///< why there is no fit
  std::optional<energy::ProfileUse> profile;  ///< of all its windows
  std::vector<AnalyzedWindow> windows;
  int device = 0;  ///< index of its device in the result
};

/// From the first window's begin to the last one's end.
struct AnalyzedWhole {
  energy::EnergyEstimate estimate;  ///< from all sources
  double busy_s = 0.0;              ///< sum of the windows
  std::size_t window_count = 0;
  std::optional<double> meter_j;
};

/// One GPU of the recorded data.
struct AnalyzedDevice {
  DeviceIdentity identity;
  std::optional<AnalyzedWhole> combined;
};

/// What all GPUs drew in one window of the file; where there is none, each in its own recording.
struct AnalyzedTotal {
  std::string label;
  double begin_s = 0.0;
  double end_s = 0.0;
  energy::EnergyTotal energy;
};

/// What `analyze` found out about recorded data. JSON schema `truewatt.analysis/1`.
struct Analysis {
  std::string tool_version;
  std::string path;
  std::string format;  ///< "nvidia-smi", "run file", "h200 trace", "sc24 folder", ...
  std::vector<AnalyzedDevice> devices;        ///< in order of their index in windows
  std::vector<AnalyzedSource> sources;        ///< by device
  std::optional<AnalyzedWhole> combined;      ///< of the only device
  std::vector<energy::WindowResult> windows;  ///< in the file's order; else the whole recording
  energy::EnergyTotal total;                  ///< of all devices' `combined`
  std::vector<AnalyzedTotal> totals;          ///< of several devices: for each window
  std::vector<energy::LabelResult> labels;    ///< of windows that share one, in order of the first
  std::uint64_t rows = 0;                     ///< rows of the log that held a reading
  std::uint64_t bad_rows = 0;                 ///< rows that could not be read, each with a warning
  /// Local time minus UTC of a log, `+01:00`; "" where nothing says it and nothing asks for it.
  std::string utc_offset;
  std::string utc_offset_from;  ///< "stamps", "option", "windows", "meter" or ""
  std::vector<std::string> notes;
};

}  // namespace truewatt::analyze
