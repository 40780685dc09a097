#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "truewatt/analyze/results.hpp"
#include "truewatt/devices/recorded_input.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/measure/figures.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::analyze {

struct AnalyzeOptions {
  devices::RecordedInputOptions input;
  std::vector<std::filesystem::path> profiles;      ///< `--profile`
  std::vector<std::filesystem::path> calibrations;  ///< `--calibration`
  bool own_profile = false;  ///< `--write-profile`: wanted also where another is used
  energy::EstimateOptions estimate;
  experiment::Progress progress{};
  bool figures = false;  ///< also what a page draws beside the readings
};

/// An analysis with what it was made from, to draw it.
struct AnalyzedRecording {
  Analysis analysis;
  Recording recording;
  std::optional<trace::MeterTrace> meter;
  /// What the recording itself tells of its sources, for runs to come; no estimate rests on it.
  std::optional<Profile> profile;
  measure::EstimateFigures figures;  ///< where asked for: of all windows as one
};

/// Applies the science to recorded data of any known format, run files included. Errors: those of
/// reading. Reads files; otherwise pure.
Result<AnalyzedRecording> analyze(const std::filesystem::path& path, const AnalyzeOptions& options);

/// The part without files.
Analysis analyze_recording(const Recording& recording,
                           const std::optional<trace::MeterTrace>& meter,
                           const energy::Knowledge& knowledge,
                           const energy::EstimateOptions& options);

}  // namespace truewatt::analyze
