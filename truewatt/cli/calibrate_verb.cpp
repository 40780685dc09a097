#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "truewatt/base/format.hpp"
#include "truewatt/base/nearest_name.hpp"
#include "truewatt/calibrate/calibrate_live.hpp"
#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/meter_options.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/clock/system_clock.hpp"
#include "truewatt/report/calibration/calibration_html.hpp"
#include "truewatt/report/calibration/calibration_text.hpp"
#include "truewatt/store/profile_file.hpp"

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
  int repetitions = 8;
};

constexpr const char* kCalibrateFooter = R"(Examples:
  truewatt calibrate RUN/ [RUN/...]      folders with gpudata.csv,
                                         timestamps.csv and PMD_data.bin
  truewatt calibrate log.csv --meter meter.csv --windows windows.csv
      --utc-offset +01:00                an nvidia-smi log beside a meter's
  truewatt calibrate -d 0 --meter /dev/ttyUSB0
                                         live, with a PMD-USB: idle and six
                                         levels, 10 min
  truewatt calibrate -d 0 --meter /dev/ttyACM0
                                         live, with a PMD2 or PMD2X (untested)
  truewatt calibrate -d sim:rtx3090      without hardware, simulated meter

Intervals are 95 % and include the meter's own accuracy. Levels are the plateaus
of loads of 2.5 s or more and the idle before them. All four rails of a PMD-USB
are summed, and HPWR, EPS1, EPS2, PCIE1 to PCIE3 of a PMD2: wire nothing to them
but the GPU, slot riser included. A PMD2's accuracy is not published: give
--meter-accuracy. The calibration of a GPU whose UUID is known is kept and used
from then on; others are used with --calibration FILE, written with --json FILE.

Exit codes: 0; 1 the data give no calibration, or a file cannot be read or
written; 2 usage, or a path that is not there; 3 no GPU, no meter, or no
permission; 4 interrupted, nothing is saved.)";

/// The source whose calibration --json writes: the one asked for, else that which energies are
/// taken from where it is there, else the least averaged one.
Result<const Calibration*> chosen(const calibrate::CalibrationRun& run, const std::string& name) {
  const auto find = [&run](const auto& matches) {
    const auto found = std::find_if(run.calibrations.begin(), run.calibrations.end(), matches);
    return found == run.calibrations.end() ? nullptr : &*found;
  };
  if (name.empty()) {
    for (const SourceKind kind : kKindsBySharpness) {
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
  std::vector<std::string> names;
  for (const Calibration& one : run.calibrations) names.push_back(to_string(one.source));
  const auto near = close_name(name, names);
  return Unexpected(Errc::invalid_argument,
                    fmt::format("--source {}: no such source was calibrated; {}", name,
                                near ? fmt::format("did you mean {}?", *near)
                                     : fmt::format("there are {}", fmt::join(names, ", "))));
}

enum class Keep { by_uuid, simulated, interrupted };

/// Why a run's calibrations are not kept for their GPU; "" when they are.
std::string reason_not_to_keep(const calibrate::CalibrationRun& run, Keep keeping) {
  if (keeping == Keep::simulated) return "the GPU is simulated";
  if (keeping == Keep::interrupted) return "the protocol was cut short";
  return run.device.uuid.empty() ? "the recording does not name the GPU's UUID" : "";
}

/// Keeps what a later measurement of the same GPU finds again; a note says where, or how else.
void keep(calibrate::CalibrationRun& run, Keep keeping) {
  const std::string reason = reason_not_to_keep(run, keeping);
  if (!reason.empty()) {
    run.notes.push_back(
        fmt::format("not saved, as {}: write it with --json FILE and use it with "
                    "--calibration FILE",
                    reason));
    return;
  }
  const auto directory = store::default_directory();
  for (const Calibration& calibration : run.calibrations) {
    const auto path = directory ? store::save_calibration(*directory, calibration)
                                : Unexpected(directory.error());
    run.notes.push_back(path ? fmt::format("saved as {}", path->string())
                             : fmt::format("not saved: {}", path.error().message));
  }
}

std::vector<std::pair<std::string, std::string>> metadata_of(const calibrate::CalibrationRun& run,
                                                             const CalibrateArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> metadata{{"truewatt", TRUEWATT_VERSION},
                                                            {"Device", run.device.name},
                                                            {"UUID", run.device.uuid},
                                                            {"Driver", run.device.driver}};
  for (const std::string& path : arguments.paths) metadata.emplace_back("Path", path);
  return metadata;
}

int deliver(calibrate::CalibrationRun run, const CalibrateArguments& arguments, Keep keeping) {
  const CommonOptions& common = arguments.common;
  const auto calibration = chosen(run, arguments.source);
  if (!calibration) return fail(calibration.error(), Stage::input);
  const bool written =
      write_asked_for(common.json, [&] { return store::calibration_to_json(**calibration); });
  if (!common.json.empty() && run.calibrations.size() > 1) {
    run.notes.push_back(
        fmt::format("--json holds {}; choose with --source", to_string((*calibration)->source)));
  }
  keep(run, keeping);
  const bool html = write_asked_for(
      common.report, [&] { return report::calibration_html(run, metadata_of(run, arguments)); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream, report::calibration_text(run, text_options(common, stream)));
  }
  return written && html ? kOk : kOther;
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

Result<devices::RecordedInputOptions> input_of(const CalibrateArguments& arguments) {
  devices::RecordedInputOptions input;
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

calibrate::CalibrateOptions options_of(const CalibrateArguments& arguments) {
  calibrate::CalibrateOptions options;
  options.created = format_utc(SystemClock().realtime_now());
  if (arguments.accuracy) options.accuracy = {.scale = *arguments.accuracy};
  return options;
}

int calibrate_recorded(const CalibrateArguments& arguments) {
  const auto input = input_of(arguments);
  if (!input) return fail(input.error(), Stage::input);
  const std::vector<std::filesystem::path> paths(arguments.paths.begin(), arguments.paths.end());
  auto run = calibrate::calibrate_files(paths, *input, options_of(arguments));
  if (!run) return fail(run.error(), Stage::input);
  return deliver(*std::move(run), arguments, Keep::by_uuid);
}

int calibrate_live(const CalibrateArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  auto meter = meter_for(*set, arguments.meter);
  if (!meter) return fail(meter.error(), Stage::device);
  const capture::StopOnSignal stop;
  calibrate::LiveCalibrationOptions options{.calibrate = options_of(arguments),
                                            .repetitions = arguments.repetitions,
                                            .seed = common.seed,
                                            .progress = terminal_progress(common.quiet),
                                            .stop = stop.token()};
  auto run = calibrate::calibrate_live(*set, meter->get(), env, options);
  end_progress(common.quiet);
  if (!run) return fail(run.error());
  const bool interrupted = stop.token().stop_requested();
  const Keep keeping = interrupted        ? Keep::interrupted
                       : set->simulated() ? Keep::simulated
                                          : Keep::by_uuid;
  const int code = deliver(*std::move(run), arguments, keeping);
  return code == kOk && interrupted ? kNotValid : code;
}

int calibrate(const CalibrateArguments& arguments) {
  return arguments.paths.empty() ? calibrate_live(arguments) : calibrate_recorded(arguments);
}

}  // namespace

Verb add_calibrate(CLI::App& app) {
  auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* verb = app.add_subcommand(
      "calibrate", "Gain and offset of a GPU's sensor against an external meter");
  verb->footer(kCalibrateFooter);
  verb->add_option("paths", arguments->paths, "Recorded data, as `analyze` takes them")
      ->check(input_file(kRecordedData))
      ->type_name("PATH");
  verb->add_option("--windows", arguments->windows,
                   "CSV begin_s,end_s (seconds or dates), or event stamps")
      ->type_name("FILE")
      ->check(input_file());
  verb->add_option("--meter", arguments->meter,
                   "External meter: serial line of a PMD-USB, PMD2 or PMD2X, a PMD-USB's dump, CSV "
                   "t_s,w, or three rails "
                   "t_s,vs1_v,vg1_v,vs2_v,vg2_v,rs_ohm,i_clamp_a,v_dps_v")
      ->type_name("FILE");
  verb->add_option("--utc-offset", arguments->utc_offset,
                   "Local time of an nvidia-smi log minus UTC, e.g. +01:00")
      ->type_name("HH:MM");
  add_meter_accuracy(*verb, arguments->accuracy);
  verb->add_option("--repetitions", arguments->repetitions, "Live: how often each level is played")
      ->check(whole_from_to(1, 100))
      ->capture_default_str()
      ->type_name("N");
  add_seed(*verb, arguments->common)->envname("TRUEWATT_SEED");
  verb->add_option("--source", arguments->source, "Which source --json writes")->type_name("NAME");
  add_common(*verb, arguments->common, {.report = true, .details = true});
  return [arguments] { return calibrate(*arguments); };
}

}  // namespace truewatt::cli
