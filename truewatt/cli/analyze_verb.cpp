#include <memory>

#include "truewatt/analyze/analyze.hpp"
#include "truewatt/base/parse.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/pages.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/analysis/analysis_json.hpp"
#include "truewatt/report/analysis/analysis_text.hpp"
#include "truewatt/report/energy/html.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::cli {
namespace {

struct AnalyzeArguments {
  CommonOptions common;
  std::string path;
  std::string windows;
  std::string meter;
  std::string utc_offset;
  std::string profile_out;
  std::optional<int> device;
};

CLI::Validator index_in_log() {
  return CLI::Validator(
      [](std::string& text) {
        const auto index = parse_integer<int>(text);
        return index && *index >= 0
                   ? std::string()
                   : text +
                         ": give the index of a GPU of the log, a whole number such as 0; "
                         "without -d every GPU of the log is shown";
      },
      "");
}

Result<analyze::AnalyzeOptions> options_of(const AnalyzeArguments& arguments) {
  analyze::AnalyzeOptions options;
  if (!arguments.windows.empty()) options.input.windows = arguments.windows;
  if (!arguments.meter.empty()) options.input.meter = arguments.meter;
  const auto& profiles = arguments.common.profiles;
  options.profiles.assign(profiles.begin(), profiles.end());
  const auto& calibrations = arguments.common.calibrations;
  options.calibrations.assign(calibrations.begin(), calibrations.end());
  options.figures = !arguments.common.report.empty();
  options.own_profile = !arguments.profile_out.empty();
  options.input.device = arguments.device;
  options.estimate.resolve = arguments.common.resolve;
  options.estimate.baseline = arguments.common.baseline;
  options.estimate.readers = arguments.common.readers;
  if (!arguments.utc_offset.empty()) {
    const auto offset = parse_utc_offset(arguments.utc_offset);
    if (!offset) return Unexpected(offset.error());
    options.input.utc_offset = *offset;
  }
  return options;
}

bool has_result(const analyze::Analysis& analysis) {
  return std::any_of(analysis.windows.begin(), analysis.windows.end(),
                     [](const energy::WindowResult& window) {
                       return energy::status_of(window.estimate) != energy::Status::none;
                     });
}

bool write_profile(const std::string& path, const analyze::AnalyzedRecording& analyzed) {
  if (path.empty()) return true;
  if (analyzed.gpus.size() > 1) {
    complain({Errc::invalid_argument,
              "--write-profile: the recording has several GPUs; choose one with --device INDEX"});
    return false;
  }
  const std::optional<Profile>& profile = analyzed.gpus.front().profile;
  if (!profile) {
    complain(
        {Errc::insufficient_data,
         "--write-profile: a profile is made of one load whose times the recording itself holds "
         "(`truewatt measure --out`), with edges enough; of this one none could be made. "
         "`truewatt characterize` makes one of a GPU at hand"});
    return false;
  }
  return write_asked_for(path, [&] { return store::profile_to_json(*profile); });
}

int analyze(const AnalyzeArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  auto options = options_of(arguments);
  if (!options) return fail(options.error(), Stage::input);
  options->progress = terminal_progress(common.quiet);
  const auto analyzed = analyze::analyze(arguments.path, *options);
  end_progress(common.quiet);
  if (!analyzed) return fail(analyzed.error(), Stage::input);
  const bool json =
      write_asked_for(common.json, [&] { return report::analysis_json(analyzed->analysis); });
  const bool html =
      write_asked_for(common.report, [&] { return report::render_html(page_of(*analyzed)); });
  const bool profile = write_profile(arguments.profile_out, *analyzed);
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream, report::analysis_text(analyzed->analysis, text_options(common, stream)));
  }
  if (!json || !html || !profile) return kOther;
  return has_result(analyzed->analysis) ? kOk : kNotValid;
}

}  // namespace

Verb add_analyze(CLI::App& app) {
  auto arguments = std::make_shared<AnalyzeArguments>();
  CLI::App* verb = app.add_subcommand(
      "analyze", "The energy in recorded data: nvidia-smi logs, run files, traces with a meter");
  verb->footer(R"(Examples:
  nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -lms 100 \
      > log.csv                                  a log, until Ctrl-C
  truewatt analyze log.csv                       the whole log
  truewatt analyze log.csv --windows steps.csv   stretches of it
  truewatt analyze run.db --report run.html      what run --out left)");
  verb->add_option("path", arguments->path,
                   "A log of nvidia-smi (--format=csv, dmon, -q) or of your own (time, watts), an "
                   "answer of Prometheus, a run file, an H200 trace, or a folder with "
                   "gpudata.csv, timestamps.csv and PMD_data.bin")
      ->required()
      ->check(input_file(kRecordedData))
      ->type_name("PATH");
  verb->add_option("--windows", arguments->windows,
                   "CSV begin_s,end_s[,label]: seconds since the first reading or the epoch, or "
                   "dates; or event stamps. For windows inside a command, record it with run "
                   "--poll every: otherwise the energy counter is read only near the command's "
                   "start and end")
      ->type_name("FILE")
      ->check(input_file());
  verb->add_option("--meter", arguments->meter,
                   "External meter: PMD-USB dump, CSV t_s,w, or CSV of three rails "
                   "t_s,vs1_v,vg1_v,vs2_v,vg2_v,rs_ohm,i_clamp_a,v_dps_v")
      ->type_name("FILE")
      ->check(input_file());
  verb->add_option("--utc-offset", arguments->utc_offset,
                   "Local time of a log minus UTC, e.g. +01:00")
      ->type_name("HH:MM");
  verb->add_option("-d,--device", arguments->device,
                   "Only this GPU of a log with several, by its index")
      ->check(index_in_log())
      ->type_name("INDEX")
      ->group(group::kDevice);
  verb->add_option("--write-profile", arguments->profile_out,
                   "Write the profile of its sources that the recording itself shows, for other "
                   "recordings of this device")
      ->type_name("FILE")
      ->group(group::kOutput);
  add_profiles(*verb, arguments->common);
  verb->add_option("--calibration", arguments->common.calibrations,
                   "Calibration made by calibrate --json; repeatable, one per source")
      ->allow_extra_args(false)
      ->group(group::kDevice)
      ->type_name("FILE")
      ->check(input_file());
  add_baseline(*verb, arguments->common);
  add_readers(*verb, arguments->common);
  add_common(*verb, arguments->common, {.device = false, .report = true, .details = true});
  return [arguments] { return analyze(*arguments); };
}

}  // namespace truewatt::cli
