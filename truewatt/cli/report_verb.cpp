#include <filesystem>
#include <memory>

#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/pages.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/html.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::cli {
namespace {

struct ReportArguments {
  CommonOptions common;
  std::string path;
  std::string html;
};

int report_again(const ReportArguments& arguments) {
  const auto file = store::read_run_file(arguments.path);
  if (!file) return fail(file.error(), Stage::input);
  const std::string html =
      arguments.html.empty()
          ? std::filesystem::path(arguments.path).replace_extension(".html").string()
          : arguments.html;
  const auto written = write_text(html, report::render_html(page_of(*file, arguments.path)));
  if (!written) return fail(written.error(), Stage::output);
  if (!arguments.common.quiet && html != "-") print_out(html + "\n");
  return kOk;
}

}  // namespace

Verb add_report(CLI::App& app) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = app.add_subcommand("report", "The HTML report of a run file, again");
  verb->add_option("path", arguments->path, "Run file made with --out")
      ->required()
      ->type_name("RUN.db");
  verb->add_option("-o,--report", arguments->html, "Where to write it; default: RUN.html")
      ->type_name("FILE.html");
  add_common(*verb, arguments->common, {.device = false, .json = false});
  return [arguments] { return report_again(*arguments); };
}

}  // namespace truewatt::cli
