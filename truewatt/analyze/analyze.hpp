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
  bool own_profile = false;                         ///< `--write-profile`
  energy::EstimateOptions estimate;
  experiment::Progress progress{};
  bool figures = false;  ///< also what a page draws beside the readings
};

/// What one GPU's part of an analysis was made from, to draw it.
struct AnalyzedGpu {
  Recording recording;
  /// Where asked for: what the recording itself tells of its sources, for runs to come; no estimate
  /// rests on it.
  std::optional<Profile> profile;
  measure::EstimateFigures figures;  ///< where asked for: of all windows as one
};

struct AnalyzedRecording {
  Analysis analysis;
  std::vector<AnalyzedGpu> gpus;           ///< as `Analysis::devices`
  std::optional<trace::MeterTrace> meter;  ///< of the only one
};

/// Applies the science to recorded data of any known format, run files included: to every GPU in
/// them, or to the one that is asked for. Net energies of a run file count from the same idle as
/// when it was written, unless the options say another. Errors: those of reading. Reads files;
/// otherwise pure.
Result<AnalyzedRecording> analyze(const std::filesystem::path& path, const AnalyzeOptions& options);

/// The part without files.
Analysis analyze_recording(const Recording& recording,
                           const std::optional<trace::MeterTrace>& meter,
                           const energy::Knowledge& knowledge,
                           const energy::EstimateOptions& options);

}  // namespace truewatt::analyze
