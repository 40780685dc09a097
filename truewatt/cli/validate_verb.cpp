#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/meter_options.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/replication/yang/convergence.hpp"
#include "truewatt/report/replication/convergence_html.hpp"
#include "truewatt/report/replication/convergence_json.hpp"
#include "truewatt/report/replication/protocol_text.hpp"
#include "truewatt/report/validation/validation_html.hpp"
#include "truewatt/report/validation/validation_json.hpp"
#include "truewatt/report/validation/validation_text.hpp"
#include "truewatt/validate/simulated_workloads.hpp"
#include "truewatt/validate/validation.hpp"

namespace truewatt::cli {
namespace {

struct ConvergenceArguments {
  CommonOptions common;
  std::vector<std::string> sources;
  int trials = 32;
  bool brief = false;
};

struct WorkloadArguments {
  CommonOptions common;
  std::string folder;
  std::string recordings;
  std::string meter;
  std::optional<double> accuracy;
  std::vector<std::string> only;
  double run_time = 1.0;  // s
  bool no_practice = false;
  bool ignore_truth = false;
};

/// Beside the program, as the build and the release have it.
std::filesystem::path default_workloads() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "workloads";
}

/// The workloads asked for, in the list's order. Errors name what there is.
Result<std::vector<store::Workload>> chosen_of(std::vector<store::Workload> all,
                                               const std::vector<std::string>& only) {
  std::string names;
  for (const store::Workload& one : all) names += (names.empty() ? "" : ", ") + one.name;
  for (const std::string& name : only) {
    const bool there =
        std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    if (there) continue;
    return Unexpected(
        Error{Errc::invalid_argument, fmt::format("no workload `{}`; there are {}", name, names)});
  }
  if (!only.empty()) {
    std::erase_if(all, [&](const store::Workload& one) {
      return std::find(only.begin(), only.end(), one.name) == only.end();
    });
  }
  return all;
}

Result<std::vector<store::Workload>> workloads_for(const WorkloadArguments& arguments,
                                                   bool simulated) {
  if (simulated) return chosen_of(validate::simulated_workloads(), arguments.only);
  const std::filesystem::path folder =
      arguments.folder.empty() ? default_workloads() : std::filesystem::path(arguments.folder);
  auto all = store::find_workloads(std::filesystem::absolute(folder));
  if (!all) {
    Error error = all.error();
    error.message += "; build the workloads with validation/build.sh DIR and name --workloads DIR";
    return Unexpected(std::move(error));
  }
  return chosen_of(std::move(*all), arguments.only);
}

int workloads(const WorkloadArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  const auto chosen = workloads_for(arguments, set->simulated());
  if (!chosen) return fail(chosen.error(), Stage::input);
  if (!arguments.recordings.empty()) {
    std::error_code error;
    std::filesystem::create_directories(arguments.recordings, error);
    if (error) {
      return fail({Errc::io, fmt::format("{}: {}", arguments.recordings, error.message())},
                  Stage::input);
    }
  }
  std::unique_ptr<sensor::Meter> meter;
  std::optional<validate::MeterBeside> beside;
  if (!arguments.meter.empty()) {
    auto live = meter_for(*set, arguments.meter);
    if (!live) return fail(live.error(), Stage::device);
    meter = *std::move(live);
    beside = validate::MeterBeside{.live = meter.get()};
    if (arguments.accuracy) beside->accuracy = {.scale = *arguments.accuracy};
  }
  const capture::StopOnSignal stop;
  validate::ValidateOptions options{.measure = measure_options(common),
                                    .run_work = Seconds(arguments.run_time),
                                    .practice = !arguments.no_practice,
                                    .ignore_truth = arguments.ignore_truth,
                                    .recordings = arguments.recordings,
                                    .meter = beside,
                                    .seed = static_cast<unsigned>(common.seed)};
  options.measure.stop = stop.token();
  const auto found = validate::validate_workloads(*set, *chosen, env, options);
  end_progress(common.quiet);
  if (!found) return fail(found.error(), Stage::input);
  const std::vector<std::pair<std::string, std::string>> metadata = {
      {"Device", found->device.name},
      {"UUID", found->device.uuid},
      {"Driver", found->device.driver},
      {"truewatt", found->tool_version}};
  const bool html =
      write_asked_for(common.report, [&] { return report::validation_html(*found, metadata); });
  const bool json = write_asked_for(common.json, [&] { return report::validation_json(*found); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream, report::validation_text(*found, text_options(common, stream)));
  }
  if (!html || !json) return kOther;
  if (found->interrupted) return kNotValid;
  const bool any = std::any_of(found->workloads.begin(), found->workloads.end(),
                               [](const auto& one) { return !one.failure; });
  return any ? kOk : kOther;
}

void add_workloads(CLI::App& verb, WorkloadArguments& arguments) {
  CLI::App* study = verb.add_subcommand(
      "workloads",
      "Known programs, by one run, by other readers and by good practice, against a reference; "
      "as in Fig. 18 of Yang et al. A minute each on a GPU; a simulated one plays profiles of "
      "them");
  study->footer(R"(Examples:
  truewatt validate workloads -d sim:h200 --only fft,bert --no-practice
  truewatt validate workloads -d 0 --workloads build/workloads --report w.html)");
  study
      ->add_option("--workloads", arguments.folder,
                   "Folder that validation/build.sh made (default: workloads, beside the program's "
                   "folder)")
      ->type_name("DIR");
  study->add_option("--only", arguments.only, "Only these")->type_name("NAME")->delimiter(',');
  study
      ->add_option("--run-time", arguments.run_time,
                   "Least work of the one run, and of each run of its reference")
      ->check(from_to(0.1, 60.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  study->add_flag("--no-practice", arguments.no_practice,
                  "Leave out good practice, which takes half of the time");
  CLI::Option* ignore_truth =
      study
          ->add_flag(
              "--ignore-truth", arguments.ignore_truth,
              "Of a simulated device, too, take a train of runs as the reference, as on a GPU")
          ->group(group::kExpert);
  CLI::Option* meter =
      study
          ->add_option(
              "--meter", arguments.meter,
              "An external meter beside the same runs is the reference: serial line of a PMD-USB, "
              "PMD2 or PMD2X; sim is that of a simulated device")
          ->type_name("LINE")
          ->excludes(ignore_truth);
  add_meter_accuracy(*study, arguments.accuracy)->needs(meter);
  study
      ->add_option(
          "--recordings", arguments.recordings,
          "Keep what was recorded for truewatt report: DIR/NAME-reference.db (-2, -3 where "
          "it was played again), DIR/NAME-run.db and DIR/NAME-practice.1.db, ...; files of "
          "these names are overwritten")
      ->type_name("DIR")
      ->group(group::kOutput);
  add_common(*study, arguments.common, {.knows = true, .report = true, .details = true});
  add_seed(*study, arguments.common)->envname("TRUEWATT_SEED");
}

std::vector<std::string> names_of_polled() {
  std::vector<std::string> names;
  for (const SourceKind kind : kKindsPolled) names.emplace_back(to_string(kind));
  return names;
}

std::vector<SourceKind> kinds_of(const std::vector<std::string>& names) {
  std::vector<SourceKind> kinds;
  for (const std::string& name : names) {
    if (const auto source = parse_source(name)) kinds.push_back(source->kind);
  }
  return kinds;
}

int convergence(const ConvergenceArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  if (common.devices.empty()) {
    return fail({Errc::invalid_argument,
                 "validate convergence needs a simulated device, whose truth is known; name one "
                 "with -d sim:a100"},
                Stage::input);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  const capture::StopOnSignal stop;
  const auto found = replication::run_convergence(*set, env,
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
  const bool html =
      write_asked_for(common.report, [&] { return report::convergence_html(*found, metadata); });
  const bool json = write_asked_for(common.json, [&] { return report::convergence_json(*found); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream, report::convergence_text(*found, text_options(common, stream)));
  }
  if (!html || !json) return kOther;
  return found->interrupted ? kNotValid : kOk;
}

}  // namespace

Verb add_validate(CLI::App& app) {
  auto arguments = std::make_shared<ConvergenceArguments>();
  auto of_workloads = std::make_shared<WorkloadArguments>();
  CLI::App* verb = app.add_subcommand(
      "validate", "Benchmark truewatt and other practice on known energies, as the papers do");
  verb->footer(R"(Examples:
  truewatt validate workloads -d sim:h200          known programs, simulated
  truewatt validate convergence -d sim:a100 --brief

Without a study, validate is validate workloads.)");
  verb->require_subcommand(1);
  add_workloads(*verb, *of_workloads);
  CLI::App* study = verb->add_subcommand(
      "convergence",
      "Error and spread of an energy over the number of executions, as in Figs. 15 to 17 of Yang "
      "et al. (SC'24), on a simulated device, whose truth is known");
  study->footer(R"(Examples:
  truewatt validate convergence -d sim:a100 --brief      a minute
  truewatt validate convergence -d sim:a100 --report c.html)");
  study
      ->add_option("--source", arguments->sources,
                   "Readings to estimate from (default: power.instant and power.average)")
      ->check(one_of(names_of_polled()))
      ->type_name("SOURCE")
      ->delimiter(',');
  study->add_option("--trials", arguments->trials, "Trials of every point")
      ->type_name("N")
      ->check(whole_from_to(2, 1000))
      ->capture_default_str();
  study->add_flag("--brief", arguments->brief, "Trains of an eighth of the published length");
  add_common(*study, arguments->common, {.knows = true, .report = true, .details = true});
  add_seed(*study, arguments->common)->envname("TRUEWATT_SEED");
  return [arguments, of_workloads, study] {
    return study->parsed() ? convergence(*arguments) : workloads(*of_workloads);
  };
}

}  // namespace truewatt::cli
