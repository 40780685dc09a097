#include <filesystem>
#include <memory>

#include "truewatt/cli/characterize_burtscher.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/pages.hpp"
#include "truewatt/cli/profile_page.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/energy/html.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::cli {
namespace {

struct ReportArguments {
  CommonOptions common;
  std::string path;
  std::string html;
};

/// The page of a characterization's recording that the procedures of `load` draw again.
Result<std::string> drawn_again(const store::RunFile& file, const std::string& load) {
  const Recording& recording = file.devices.front().recording;
  if (load == kBurtscherLoad) {
    const auto again = replication::judge_by_burtscher(recording);
    if (!again) return Unexpected(again.error());
    return report::burtscher_html(page_of(*again, file.metadata));
  }
  const auto again = characterize::characterize_recorded(recording);
  if (!again) return Unexpected(again.error());
  return report::render_html(page_of(*again, file.metadata));
}

/// The page of what the run was: a characterization's is made from its recording again. Where that
/// cannot be done the page of a plain run says why.
std::string html_of(const store::RunFile& file, const std::string& path) {
  report::Page plain = page_of(file, path);
  const auto load = file.metadata.find("load");
  const bool characterized = load != file.metadata.end() &&
                             (load->second == kCharacterizeLoad || load->second == kBurtscherLoad);
  if (!characterized || file.devices.empty()) return report::render_html(plain);
  auto again = drawn_again(file, load->second);
  if (again) return *again;
  plain.text += (plain.text.empty() ? "" : " ") +
                std::string("A characterization was recorded, but its figures cannot be drawn: ") +
                again.error().message + ". These are its readings.";
  return report::render_html(plain);
}

int report_again(const ReportArguments& arguments) {
  const auto file = store::read_run_file(arguments.path);
  if (!file) return fail(file.error(), Stage::input);
  const std::string html =
      arguments.html.empty()
          ? std::filesystem::path(arguments.path).replace_extension(".html").string()
          : arguments.html;
  const auto written = write_text(html, html_of(*file, arguments.path));
  if (!written) return fail(written.error(), Stage::output);
  if (!arguments.common.quiet && !is_stdout(html)) print_out(safe(html) + "\n");
  return kOk;
}

}  // namespace

Verb add_report(CLI::App& app) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = app.add_subcommand("report", "The HTML report of a run file, again");
  verb->footer(R"(Examples:
  truewatt run --out run.db -- ./train.py
  truewatt report run.db                     writes run.html beside it)");
  verb->add_option("path", arguments->path, "Run file made with --out")
      ->required()
      ->check(input_file())
      ->type_name("RUN.db");
  verb->add_option("-o,--report", arguments->html, "Where to write it (default: RUN.html)")
      ->type_name("FILE.html");
  add_common(*verb, arguments->common, {.device = false, .json = false});
  return [arguments] { return report_again(*arguments); };
}

}  // namespace truewatt::cli
