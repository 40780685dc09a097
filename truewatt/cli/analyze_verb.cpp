#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/pages.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/html.hpp"
#include "truewatt/report/json.hpp"
#include "truewatt/report/text.hpp"
#include "truewatt/study/analyze.hpp"

namespace truewatt::cli {
namespace {

struct AnalyzeArguments {
  CommonOptions common;
  std::string path;
  std::string windows;
  std::string meter;
  std::string utc_offset;
  std::optional<int> device;
};

/// "+01:00", "-5:30", "+1", "60min" are hours and minutes east of UTC.
std::optional<std::chrono::minutes> parse_offset(const std::string& text) {
  int sign = 1;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    sign = text[0] == '-' ? -1 : 1;
    at = 1;
  }
  int hours = 0;
  int minutes = 0;
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data() + at, end, hours);
  if (parsed.ec != std::errc()) return std::nullopt;
  if (parsed.ptr != end) {
    if (*parsed.ptr != ':') return std::nullopt;
    parsed = std::from_chars(parsed.ptr + 1, end, minutes);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  }
  if (hours > 14 || minutes > 59 || hours < 0 || minutes < 0) return std::nullopt;
  return std::chrono::minutes(sign * (60 * hours + minutes));
}

Result<study::AnalyzeOptions> options_of(const AnalyzeArguments& arguments) {
  study::AnalyzeOptions options;
  if (!arguments.windows.empty()) options.windows = arguments.windows;
  if (!arguments.meter.empty()) options.meter = arguments.meter;
  if (!arguments.common.profile.empty()) options.profile = arguments.common.profile;
  if (!arguments.common.calibration.empty()) options.calibration = arguments.common.calibration;
  options.device = arguments.device;
  options.estimate.resolve = arguments.common.resolve;
  if (!arguments.utc_offset.empty()) {
    options.utc_offset = parse_offset(arguments.utc_offset);
    if (!options.utc_offset) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("--utc-offset {}: give local time minus UTC as +01:00 or -5:30",
                                    arguments.utc_offset));
    }
  }
  return options;
}

void print_summary(const study::Analysis& analysis, const CommonOptions& common) {
  const std::string text = report::analysis_text(
      analysis, {.colour = false, .verbose = common.verbose, .width = terminal_width()});
  if (common.json == "-") {
    print_err(text);
  } else {
    print_out(text);
  }
}

bool is_valid(const study::Analysis& analysis) {
  return !analysis.combined || analysis.combined->valid;
}

int analyze(const AnalyzeArguments& arguments) {
  const CommonOptions& common = arguments.common;
  const auto options = options_of(arguments);
  if (!options) return fail(options.error(), Stage::input);
  const auto analyzed = study::analyze(arguments.path, *options);
  if (!analyzed) return fail(analyzed.error(), Stage::input);
  const bool json =
      write_asked_for(common.json, [&] { return report::analysis_json(analyzed->analysis); });
  const bool html =
      write_asked_for(common.report, [&] { return report::render_html(page_of(*analyzed)); });
  if (!common.quiet) print_summary(analyzed->analysis, common);
  if (!json || !html) return kOther;
  return is_valid(analyzed->analysis) ? kOk : kNotValid;
}

}  // namespace

Verb add_analyze(CLI::App& app) {
  auto arguments = std::make_shared<AnalyzeArguments>();
  CLI::App* verb = app.add_subcommand(
      "analyze",
      "The same science on recorded data: nvidia-smi logs, run files, traces with a meter");
  verb->add_option("path", arguments->path,
                   "An nvidia-smi --format=csv log, a run file, an H200 trace, or a folder with\n"
                   "gpudata.csv, timestamps.csv and PMD_data.bin")
      ->required();
  verb->add_option("--windows", arguments->windows, "CSV begin_s,end_s, or event stamps")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  verb->add_option("--meter", arguments->meter, "External meter: PMD-USB dump, or CSV t_s,w")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  verb->add_option("--utc-offset", arguments->utc_offset,
                   "Local time of an nvidia-smi log minus UTC, e.g. +01:00")
      ->type_name("HH:MM");
  verb->add_option("--device", arguments->device, "Which GPU of a log with several, by its index")
      ->type_name("INDEX");
  verb->add_option("--profile", arguments->common.profile, "Sensor profile")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  verb->add_option("--calibration", arguments->common.calibration, "Calibration")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  add_common(*verb, arguments->common, {.device = false, .report = true});
  return [arguments] { return analyze(*arguments); };
}

}  // namespace truewatt::cli
