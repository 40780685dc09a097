#include <fmt/format.h>

#include <memory>

#include "truewatt/base/format.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/pages.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/demo/demo.hpp"
#include "truewatt/report/energy/energy_json.hpp"
#include "truewatt/report/energy/html.hpp"

namespace truewatt::cli {
namespace {

struct DemoArguments {
  CommonOptions common;
  std::string device = "sim:a100";
};

/// `-41.3 %` of what polls, counts or estimates it.
std::string error_text(std::optional<double> joules, double truth) {
  return joules ? fmt::format("{:+.1f} %", 100 * (*joules / truth - 1)) : "–";
}

std::optional<double> naive_of(const energy::EnergyEstimate& estimate, SourceKind kind) {
  const auto found = estimate.naive_j.find(std::string(to_string(kind)));
  return found == estimate.naive_j.end() ? std::nullopt : std::optional(found->second);
}

/// What a poller of `power.draw` would report: the device's default reading.
std::optional<double> polled(const energy::EnergyEstimate& estimate) {
  for (const SourceKind kind : kKindsPolled) {
    if (const auto joules = naive_of(estimate, kind)) return joules;
  }
  return std::nullopt;
}

std::string table_of(const std::vector<demo::DemoExperiment>& experiments) {
  std::string text = fmt::format("{:<30} {:>9}  {:>9} {:>9} {:>9}\n", "load", "truth", "polling",
                                 "counter", "truewatt");
  for (const demo::DemoExperiment& experiment : experiments) {
    const auto& estimates = experiment.measurement.run.devices;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      const energy::EnergyEstimate& estimate = estimates[i];
      const double truth = estimate.truth.value_or(Joules(0)).value();
      std::optional<double> ours;
      std::string interval;
      if (estimate.energy) {
        ours = estimate.energy->interval.value;
        interval =
            fmt::format(" ± {:.1f} %", 100 * half_width_of(estimate.energy->interval) / *ours);
      }
      text += fmt::format("{:<30} {:>7.1f} J  {:>9} {:>9} {:>9}{}\n", experiment.labels.at(i),
                          truth, error_text(polled(estimate), truth),
                          error_text(naive_of(estimate, SourceKind::energy_counter), truth),
                          error_text(ours, truth), interval);
    }
  }
  return text;
}

/// All estimates in one document, in the order of the experiments.
measure::EnergyRun combined_run(const std::vector<demo::DemoExperiment>& experiments) {
  measure::EnergyRun run = experiments.front().measurement.run;
  run.load = "demo";
  run.devices.clear();
  run.total = {};
  for (const demo::DemoExperiment& experiment : experiments) {
    const auto& estimates = experiment.measurement.run.devices;
    run.devices.insert(run.devices.end(), estimates.begin(), estimates.end());
    for (const std::string& label : experiment.labels) run.notes.push_back("window: " + label);
  }
  return run;
}

int demo(const DemoArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  if (!arguments.device.starts_with("sim:")) {
    return fail({Errc::invalid_argument,
                 fmt::format("-d {}: the demo plays on a simulated GPU, whose true energy is "
                             "known; name one, as sim:h100 (`truewatt devices` lists them)",
                             arguments.device)},
                Stage::input);
  }
  const auto experiments = demo::run_demo(arguments.device, common.seed);
  if (!experiments) return fail(experiments.error(), Stage::input);
  // Whoever asks for JSON asks for no page.
  const bool is_page = !common.report.empty() || common.json.empty();
  const std::string path = !is_page                ? ""
                           : common.report.empty() ? "truewatt-demo.html"
                                                   : common.report;
  const bool html = write_asked_for(
      path, [&] { return report::render_html(page_of(*experiments, arguments.device)); });
  const bool json =
      write_asked_for(common.json, [&] { return report::energy_json(combined_run(*experiments)); });
  if (!html || !json) return kOther;
  if (common.quiet) return 0;
  const Stream stream = summary_stream(common);
  print_to(stream,
           fmt::format("A simulated GPU ({}), whose true energy is known. The table shows the\n"
                       "errors of nvidia-smi's readings (polling), of the energy counter, and of "
                       "truewatt\nwith its 95 % interval, all from one recording:\n\n",
                       arguments.device));
  print_to(stream, table_of(*experiments));
  print_to(
      stream,
      fmt::format("\nIn all lines but the last, truewatt's interval includes the scale of this "
                  "board's\nsensor, which was never compared with a wattmeter. It cancels when two "
                  "runs on one\nboard are compared, and a calibration removes it.{}\n",
                  is_page ? " Pictures: " + path : ""));
  return 0;
}

}  // namespace

Verb add_demo(CLI::App& app) {
  auto arguments = std::make_shared<DemoArguments>();
  CLI::App* verb = app.add_subcommand(
      "demo", "The main job without hardware, on a simulated GPU; writes truewatt-demo.html");
  verb->footer(R"(Examples:
  truewatt demo
  truewatt demo -d sim:h100 --report h100.html)");
  verb->add_option("-d,--device", arguments->device,
                   "Which simulated GPU: sim:NAME or sim:FILE.toml")
      ->capture_default_str()
      ->type_name("SEL")
      ->group(group::kDevice);
  add_seed(*verb, arguments->common);
  add_common(*verb, arguments->common, {.device = false, .report = true});
  return [arguments] { return demo(*arguments); };
}

}  // namespace truewatt::cli
