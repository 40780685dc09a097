#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/convergence_html.hpp"
#include "truewatt/report/json.hpp"
#include "truewatt/report/text.hpp"
#include "truewatt/study/convergence.hpp"

namespace truewatt::cli {
namespace {

struct ConvergenceArguments {
  CommonOptions common;
  std::vector<std::string> sources;
  int trials = 32;
  bool brief = false;
};

std::vector<SourceKind> kinds_of(const std::vector<std::string>& names) {
  std::vector<SourceKind> kinds;
  for (const std::string& name : names) {
    if (const auto source = parse_source(name)) kinds.push_back(source->kind);
  }
  return kinds;
}

int convergence(const ConvergenceArguments& arguments) {
  const CommonOptions& common = arguments.common;
  const study::Environment env = study::environment_of_process();
  auto set = study::open_devices(device_request(common, study::Pace::virtual_time), env);
  if (!set) return fail(set.error(), stage_of_opening(common));
  const capture::StopOnSignal stop;
  const auto found = study::run_convergence(*set, env,
                                            {.trials = arguments.trials,
                                             .full = !arguments.brief,
                                             .sources = kinds_of(arguments.sources),
                                             .seed = common.seed,
                                             .progress = terminal_progress(common.quiet),
                                             .stop = stop.token()});
  end_progress(common.quiet);
  if (!found) return fail(found.error(), Stage::input);
  const std::vector<std::pair<std::string, std::string>> metadata = {
      {"Device", found->device},
      {"Trials", std::to_string(found->trials)},
      {"Seed", std::to_string(common.seed)},
      {"Truewatt", found->tool_version}};
  const bool html = write_asked_for(
      common.report, [&] { return report::convergence_html(*found, metadata); });
  const bool json = write_asked_for(common.json, [&] { return report::convergence_json(*found); });
  if (!common.quiet) {
    print_err(report::convergence_text(
        *found, {.colour = wants_colour(), .verbose = common.verbose, .width = terminal_width()}));
  }
  return html && json ? kOk : kOther;
}

}  // namespace

Verb add_validate(CLI::App& app) {
  auto arguments = std::make_shared<ConvergenceArguments>();
  CLI::App* verb = app.add_subcommand(
      "validate", "Hold truewatt and other practice against known energies, as the papers do");
  verb->require_subcommand(1);
  CLI::App* study = verb->add_subcommand(
      "convergence",
      "Error and spread of an energy over the number of executions, as Figs. 15 to 17 of\n"
      "Yang et al. (SC'24), on a simulated device whose truth is known");
  study
      ->add_option("--source", arguments->sources,
                   "Readings to tell the energy from; default power.instant and power.average")
      ->check(CLI::IsMember({"power.usage", "power.instant", "power.average"}))
      ->type_name("SOURCE")
      ->delimiter(',');
  study->add_option("--trials", arguments->trials, "Behind every point")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  study->add_flag("--brief", arguments->brief, "Trains of an eighth of the paper's length");
  add_common(*study, arguments->common, {.knows = true, .report = true});
  add_seed(*study, arguments->common)->envname("TRUEWATT_SEED");
  return [arguments] { return convergence(*arguments); };
}

}  // namespace truewatt::cli
