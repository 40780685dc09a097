#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "truewatt/base/format.hpp"
#include "truewatt/capture/system_clock.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/text.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/study/calibrate.hpp"

namespace truewatt::cli {
namespace {

struct CalibrateArguments {
  CommonOptions common;
  std::vector<std::string> paths;
  std::string windows;
  std::string meter;
  std::string utc_offset;
  std::optional<double> accuracy;
  std::string source;
};

constexpr const char* kFooter = R"(
Gain, offset and R^2 of every source against an external meter, with 95 % intervals that include
the meter's own accuracy. Levels are the plateaus of loads of 2.5 s or more and the idle before.

truewatt calibrate RUN/ [RUN/...]               folders with gpudata.csv, timestamps.csv, PMD_data.bin
truewatt calibrate log.csv --meter meter.csv --windows windows.csv --utc-offset +01:00

The calibration of a GPU whose UUID is known is kept and used from then on; others are used with
--calibration FILE, written here with --json FILE.

Exit codes: 0; 1 the data give no calibration, or a file cannot be read or written; 2 usage.)";

/// The source whose calibration --json writes: the one asked for, else the least averaged one.
Result<const Calibration*> chosen(const study::CalibrationRun& run, const std::string& name) {
  const auto find = [&run](const auto& matches) {
    const auto found = std::find_if(run.calibrations.begin(), run.calibrations.end(), matches);
    return found == run.calibrations.end() ? nullptr : &*found;
  };
  if (name.empty()) {
    for (const SourceKind kind : {SourceKind::power_instant, SourceKind::power_samples,
                                  SourceKind::power_usage, SourceKind::power_average}) {
      if (const auto* best = find([&](const Calibration& c) { return c.source.kind == kind; })) {
        return best;
      }
    }
    return &run.calibrations.front();
  }
  const auto source = parse_source(name);
  const auto* named =
      source ? find([&](const Calibration& c) { return c.source == *source; }) : nullptr;
  if (named) return named;
  return Unexpected(Errc::invalid_argument,
                    fmt::format("--source {}: no source of that name was calibrated", name));
}

/// Keeps what a later measurement of the same GPU finds again; a note says where, or how else.
void keep(study::CalibrationRun& run, bool simulated) {
  if (run.device.uuid.empty() || simulated) {
    run.notes.push_back(fmt::format(
        "not kept, as {}: write it with --json FILE and use it with "
        "--calibration FILE",
        simulated ? "the GPU is simulated" : "the recording does not name the GPU's UUID"));
    return;
  }
  const auto directory = store::default_directory();
  for (const Calibration& calibration : run.calibrations) {
    const auto path = directory ? store::save_calibration(*directory, calibration)
                                : Unexpected(directory.error());
    run.notes.push_back(path ? fmt::format("kept as {}", path->string())
                             : fmt::format("not kept: {}", path.error().message));
  }
}

int deliver(study::CalibrationRun run, const CalibrateArguments& arguments, bool simulated) {
  const CommonOptions& common = arguments.common;
  const auto calibration = chosen(run, arguments.source);
  if (!calibration) return fail(calibration.error(), Stage::input);
  const bool written =
      write_asked_for(common.json, [&] { return store::calibration_to_json(**calibration); });
  if (!common.json.empty() && run.calibrations.size() > 1) {
    run.notes.push_back(
        fmt::format("--json holds {}; choose with --source", to_string((*calibration)->source)));
  }
  keep(run, simulated);
  if (!common.quiet) {
    const std::string text =
        report::calibration_text(run, {.verbose = common.verbose, .width = terminal_width()});
    common.json == "-" ? print_err(text) : print_out(text);
  }
  return written ? kOk : kOther;
}

Result<std::optional<int>> index_of(const std::vector<std::string>& selectors) {
  if (selectors.empty()) return std::optional<int>();
  int index = 0;
  const std::string& text = selectors.front();
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), index);
  if (selectors.size() == 1 && parsed.ec == std::errc() && *parsed.ptr == '\0') {
    return std::optional<int>(index);
  }
  return Unexpected(Errc::invalid_argument,
                    fmt::format("--device {}: of recorded data, give one GPU's index", text));
}

Result<study::RecordedInputOptions> input_of(const CalibrateArguments& arguments) {
  study::RecordedInputOptions input;
  if (!arguments.windows.empty()) input.windows = arguments.windows;
  if (!arguments.meter.empty()) input.meter = arguments.meter;
  const auto index = index_of(arguments.common.devices);
  if (!index) return Unexpected(index.error());
  input.device = *index;
  if (arguments.utc_offset.empty()) return input;
  const auto offset = parse_utc_offset(arguments.utc_offset);
  if (!offset) return Unexpected(offset.error());
  input.utc_offset = *offset;
  return input;
}

study::CalibrateOptions options_of(const CalibrateArguments& arguments) {
  study::CalibrateOptions options;
  options.created = format_utc(capture::SystemClock().realtime_now());
  if (arguments.accuracy) options.accuracy = {.scale = *arguments.accuracy};
  return options;
}

int calibrate_recorded(const CalibrateArguments& arguments) {
  const auto input = input_of(arguments);
  if (!input) return fail(input.error(), Stage::input);
  const std::vector<std::filesystem::path> paths(arguments.paths.begin(), arguments.paths.end());
  auto run = study::calibrate_files(paths, *input, options_of(arguments));
  if (!run) return fail(run.error(), Stage::input);
  return deliver(*std::move(run), arguments, false);
}

int calibrate(const CalibrateArguments& arguments) {
  if (!arguments.paths.empty()) return calibrate_recorded(arguments);
  return fail({Errc::invalid_argument, "calibrate needs recorded data; see --help"}, Stage::input);
}

}  // namespace

Verb add_calibrate(CLI::App& app) {
  auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* verb = app.add_subcommand(
      "calibrate", "Gain and offset of a GPU's sensor against an external meter");
  verb->footer(kFooter);
  verb->add_option("paths", arguments->paths, "Recorded data, as `analyze` takes them")
      ->type_name("PATH");
  verb->add_option("--windows", arguments->windows, "CSV begin_s,end_s, or event stamps")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  verb->add_option("--meter", arguments->meter,
                   "External meter: PMD-USB dump, CSV t_s,w, or CSV of three rails\n"
                   "t_s,vs1_v,vg1_v,vs2_v,vg2_v,rs_ohm,i_clamp_a,v_dps_v")
      ->type_name("FILE");
  verb->add_option("--utc-offset", arguments->utc_offset,
                   "Local time of an nvidia-smi log minus UTC, e.g. +01:00")
      ->type_name("HH:MM");
  verb->add_option_function<std::string>(
          "--meter-accuracy",
          [share = &arguments->accuracy](const std::string& text) {
            *share = parse_share(text);
            if (!*share) throw CLI::ValidationError("--meter-accuracy", "must be like 1% or 0.01");
          },
          "Bound of the meter's error (default: a PMD-USB's, 1.12%)")
      ->type_name("SHARE");
  verb->add_option("--source", arguments->source, "Which source --json writes")->type_name("NAME");
  add_common(*verb, arguments->common, {});
  return [arguments] { return calibrate(*arguments); };
}

}  // namespace truewatt::cli
