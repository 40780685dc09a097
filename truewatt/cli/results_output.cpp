#include "truewatt/cli/results_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/pages.hpp"
#include "truewatt/report/html.hpp"
#include "truewatt/report/json.hpp"
#include "truewatt/report/text.hpp"

namespace truewatt::cli {

int fail(const Error& error) {
  complain(error);
  return exit_code_of(error);
}

study::MeasureOptions measure_options(const CommonOptions& common) {
  study::MeasureOptions options;
  options.estimate.resolve = common.resolve;
  options.polling = poll_options(common);
  if (!common.out.empty()) options.out = common.out;
  options.metadata = {{"tool_version", TRUEWATT_VERSION}, {"seed", fmt::format("{}", common.seed)}};
  options.progress = terminal_progress(common.quiet);
  return options;
}

namespace {

Result<void> write_files(const study::Measurement& measurement, const CommonOptions& common,
                         const std::string& title) {
  if (!common.json.empty()) {
    if (auto written = write_text(common.json, report::energy_json(measurement.run)); !written) {
      return written;
    }
  }
  if (!common.report.empty()) {
    return write_text(common.report, report::render_html(page_of(measurement, title)));
  }
  return {};
}

}  // namespace

int deliver(const study::Measurement& measurement, const CommonOptions& common,
            const std::string& title) {
  const auto written = write_files(measurement, common, title);
  if (!common.separator.empty()) {
    print_err(report::energy_csv(measurement.run, common.separator));
  } else if (!common.quiet) {
    print_err(report::energy_text(
        measurement.run,
        {.colour = wants_colour(), .verbose = common.verbose, .width = terminal_width()}));
  }
  if (!written) {
    complain(written.error());
    return kOther;
  }
  if (measurement.file_error) {
    complain(*measurement.file_error);
    return kOther;
  }
  const auto& devices = measurement.run.devices;
  const bool valid = std::all_of(devices.begin(), devices.end(),
                                 [](const energy::EnergyEstimate& e) { return e.valid; });
  return valid ? kOk : kNotValid;
}

}  // namespace truewatt::cli
