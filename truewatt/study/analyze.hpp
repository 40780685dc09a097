#pragma once

#include <filesystem>
#include <optional>

#include "truewatt/energy/estimate_energy.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/study/recorded_input.hpp"
#include "truewatt/study/results.hpp"

namespace truewatt::study {

struct AnalyzeOptions {
  RecordedInputOptions input;
  std::optional<std::filesystem::path> profile;     ///< `--profile`
  std::vector<std::filesystem::path> calibrations;  ///< `--calibration`
  energy::EstimateOptions estimate;
};

/// An analysis with what it was made from, to draw it.
struct AnalyzedRecording {
  Analysis analysis;
  Recording recording;
  std::optional<trace::MeterTrace> meter;
  std::optional<Profile> profile;  ///< what the recording itself tells of its sources
};

/// Applies the science to recorded data of any known format, run files included. Without a profile
/// in the options the recording's own is used (recording_profile.hpp). Errors: those of
/// reading. Reads files; otherwise pure.
Result<AnalyzedRecording> analyze(const std::filesystem::path& path, const AnalyzeOptions& options);

/// The part without files.
Analysis analyze_recording(const Recording& recording,
                           const std::optional<trace::MeterTrace>& meter,
                           const energy::Knowledge& knowledge,
                           const energy::EstimateOptions& options);

}  // namespace truewatt::study
