#pragma once

#include <string>
#include <vector>

#include "truewatt/analyze/analyze.hpp"
#include "truewatt/demo/demo.hpp"
#include "truewatt/measure/measurement.hpp"
#include "truewatt/report/energy/html.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::cli {

/// The HTML page of a measurement or a command, one section per device.
report::Page page_of(const measure::Measurement& measurement, const std::string& title);
report::Page page_of(const std::vector<demo::DemoExperiment>& experiments,
                     const std::string& device);
report::Page page_of(const store::RunFile& file, const std::string& path);
report::Page page_of(const analyze::AnalyzedRecording& analyzed);

}  // namespace truewatt::cli
