// report_samples DIR: writes this layer's output for made-up results into DIR, for the tests that
// look at files: JSON Schema validation and the browser.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/analysis/analysis_json.hpp"
#include "truewatt/report/calibration/calibration_html.hpp"
#include "truewatt/report/catalogue/catalogue.hpp"
#include "truewatt/report/energy/energy_json.hpp"
#include "truewatt/report/memory/memory_html.hpp"
#include "truewatt/report/memory/memory_json.hpp"
#include "truewatt/report/replication/burtscher_html.hpp"

namespace {

bool write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::cerr << "cannot write " << path << '\n';
  return !file.fail();
}

/// Breaks the rule that an unknown energy has a reason; the schema must refuse it.
std::string without_reasons(truewatt::measure::EnergyRun run) {
  for (auto& device : run.devices) device.reasons.clear();
  return truewatt::report::energy_json(run);
}

/// The same of a level of memory.
std::string without_reasons(truewatt::memory::Table table) {
  for (auto& level : table.levels) level.reasons.clear();
  return truewatt::report::memory_json(table);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: report_samples DIR\n";
    return 2;
  }
  using namespace truewatt::report;
  const std::filesystem::path folder = argv[1];
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const bool written =
      write(folder / "energy.json", energy_json(sample_run())) &&
      write(folder / "energy_command.json", energy_json(sample_command_run())) &&
      write(folder / "energy_node.json", energy_json(sample_node_run())) &&
      write(folder / "energy_without_reasons.json", without_reasons(sample_run())) &&
      write(folder / "analysis.json", analysis_json(sample_analysis())) &&
      write(folder / "catalogue.json", catalogue_json(whole_catalogue())) &&
      write(folder / "catalogue_profile.json", catalogue_json(sample_catalogue())) &&
      write(folder / "memory.json", memory_json(sample_memory())) &&
      write(folder / "memory_without_reasons.json", without_reasons(sample_memory())) &&
      write(folder / "memory.html", memory_html(sample_memory(), {{"Device", kHostileName}})) &&
      write(folder / "page.html", render_html(sample_page())) &&
      write(folder / "profile.html", render_html(sample_profile())) &&
      write(folder / "burtscher.html", burtscher_html(sample_burtscher())) &&
      write(folder / "calibration.html", calibration_html(sample_calibration(), {}));
  return written ? 0 : 1;
}
