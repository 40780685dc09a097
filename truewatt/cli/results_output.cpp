#include "truewatt/cli/results_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/pages.hpp"
#include "truewatt/report/energy/energy_json.hpp"
#include "truewatt/report/energy/energy_text.hpp"
#include "truewatt/report/energy/html.hpp"
#include "truewatt/report/energy/repetition_html.hpp"
#include "truewatt/report/energy/work_text.hpp"

namespace truewatt::cli {

int fail(const Error& error, Stage stage) {
  complain(error);
  return exit_code_of(error, stage);
}

std::optional<Error> refusal_of(const devices::DeviceSet& set) {
  std::optional<Error> refusal;
  for (const devices::Device& device : set.devices) {
    for (const sensor::SourceStatus& status : device.sensor->sources()) {
      if (status.answers()) return std::nullopt;
      if (refusal || status.refusal->code != Errc::permission) continue;
      refusal = {Errc::permission,
                 fmt::format("no power source of {} answers: {}", device.sensor->device().name,
                             status.refusal->message)};
    }
  }
  return refusal;
}

namespace {

bool any_has(const Profile& profile, ProfileReason reason) {
  return std::any_of(profile.sources.begin(), profile.sources.end(),
                     [reason](const SourceProfile& source) { return has_reason(source, reason); });
}

}  // namespace

std::optional<std::string> why_doubtful(const Profile& profile) {
  if (any_has(profile, ProfileReason::interrupted)) return "the characterization was interrupted";
  if (any_has(profile, ProfileReason::gpu_busy)) return "something else ran on the GPU";
  return std::nullopt;
}

int exit_code_of(const Profile& profile, const CommonOptions& common) {
  if (any_has(profile, ProfileReason::interrupted)) return kNotValid;
  return why_doubtful(profile) && common.json.empty() ? kNotValid : kOk;
}

measure::MeasureOptions measure_options(const CommonOptions& common) {
  measure::MeasureOptions options;
  options.estimate.resolve = common.resolve;
  options.estimate.baseline = common.baseline;
  options.estimate.readers = common.readers;
  options.polling = poll_options(common);
  if (!common.out.empty()) options.out = common.out;
  options.figures = !common.report.empty();
  options.metadata = {{"tool_version", TRUEWATT_VERSION}, {"seed", fmt::format("{}", common.seed)}};
  options.progress = terminal_progress(common.quiet);
  return options;
}

namespace {

std::vector<std::pair<std::string, std::string>> metadata_of(const measure::EnergyRun& run) {
  std::vector<std::pair<std::string, std::string>> metadata;
  for (const energy::EnergyEstimate& one : run.devices) {
    metadata.emplace_back("Device", one.device.name);
    metadata.emplace_back("UUID", one.device.uuid);
    metadata.emplace_back("Driver", one.device.driver);
  }
  metadata.emplace_back("Load", run.load);
  metadata.emplace_back("truewatt", run.tool_version);
  return metadata;
}

}  // namespace

Stream summary_stream(const CommonOptions& common) {
  const bool taken =
      is_stdout(common.json) || is_stdout(common.report) || !common.separator.empty();
  return taken ? Stream::err : Stream::out;
}

report::TextOptions text_options(const CommonOptions& common, Stream stream) {
  return {
      .colour = wants_colour(stream), .verbose = common.verbose, .width = terminal_width(stream)};
}

int deliver(const measure::Measurement& measurement, const CommonOptions& common,
            const std::string& title, Stream results) {
  const bool json =
      write_asked_for(common.json, [&] { return report::energy_json(measurement.run); });
  const bool html = write_asked_for(common.report, [&] {
    return measurement.run.repetition
               ? report::repetition_html(measurement.run, title, metadata_of(measurement.run))
               : report::render_html(page_of(measurement, title));
  });
  const bool csv = !common.separator.empty();
  if (csv) print_to(results, report::energy_csv(measurement.run, common.separator));
  const Stream summary = results == Stream::out ? summary_stream(common) : results;
  if (!common.quiet && !(csv && summary == results)) {
    const report::TextOptions look = text_options(common, summary);
    print_to(summary, report::energy_text(measurement.run, look) +
                          report::work_text(measurement.run, static_cast<std::size_t>(look.width)));
  }
  if (!common.verbose) {  // its notes have it in full
    for (const std::string& hang : measurement.hangs) complain({Errc::timed_out, hang});
  }
  if (measurement.work_error) complain(*measurement.work_error);
  if (measurement.file_error) complain(*measurement.file_error);
  if (!json || !html || measurement.file_error) return kOther;
  const auto& devices = measurement.run.devices;
  const bool told =
      !devices.empty() && std::none_of(devices.begin(), devices.end(), [](const auto& one) {
        return energy::status_of(one) == energy::Status::none;
      });
  return told ? kOk : kNotValid;
}

}  // namespace truewatt::cli
