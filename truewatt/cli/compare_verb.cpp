#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/output.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/compare/comparison.hpp"
#include "truewatt/report/comparison/comparison_html.hpp"
#include "truewatt/report/comparison/comparison_json.hpp"
#include "truewatt/report/comparison/comparison_text.hpp"

namespace truewatt::cli {
namespace {

constexpr std::string_view kHow =
    "compare takes two run files (compare A.db B.db), two loads (--load SPEC --vs-load SPEC) or "
    "two commands (-- CMD ARGS --vs CMD ARGS)";
/// What says how to measure says nothing to files, whose energies were estimated when they were
/// made.
constexpr std::array kOfMeasuring = {"--device", "--repeat",  "--target",      "--budget",
                                     "--poll",   "--profile", "--calibration", "--seed"};

struct CompareArguments {
  const CLI::App* verb = nullptr;
  CommonOptions common;
  std::vector<std::string> files;
  std::string load;
  std::string other_load;
  std::optional<int> rounds;
  std::optional<double> target;
  double budget_s = 60;
  std::optional<measure::WorkAsked> work;
  std::optional<double> other_done;
  std::vector<std::string> commands;  ///< one, --vs, another
};

/// The devices of the first runs.
std::vector<std::pair<std::string, std::string>> metadata_of(
    const compare::EnergyComparison& comparison) {
  std::vector<std::pair<std::string, std::string>> metadata;
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    if (side->runs.empty()) continue;
    for (const energy::EnergyEstimate& one : side->runs.front().devices) {
      metadata.emplace_back(fmt::format("Device of {}", name), one.device.name);
    }
  }
  metadata.emplace_back("truewatt", comparison.tool_version);
  return metadata;
}

int deliver(const compare::EnergyComparison& comparison, const CommonOptions& common) {
  const bool page = write_asked_for(
      common.report, [&] { return report::comparison_html(comparison, metadata_of(comparison)); });
  const bool json =
      write_asked_for(common.json, [&] { return report::comparison_json(comparison); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream, report::comparison_text(comparison, text_options(common, stream)));
  }
  if (!json || !page) return kOther;
  return comparison.valid ? kOk : kNotValid;
}

compare::CompareOptions options_of(const CompareArguments& arguments) {
  compare::CompareOptions options{.measure = measure_options(arguments.common)};
  options.rounds = arguments.rounds;
  if (arguments.target) options.target = *arguments.target;
  options.budget = Seconds(arguments.budget_s);
  options.work = arguments.work;
  options.other_done = arguments.other_done;
  return options;
}

int finish(const Result<compare::EnergyComparison>& compared, const CommonOptions& common,
           Stage stage) {
  end_progress(common.quiet);
  if (!compared) return fail(compared.error(), stage);
  return deliver(*compared, common);
}

/// An option that the command line names, not a variable of the environment.
bool is_named(const CLI::App& verb, const std::string& option) {
  const CLI::Option& found = *verb.get_option(option);
  const std::string variable = found.get_envname();
  return found.count() > 0 && (variable.empty() || std::getenv(variable.c_str()) == nullptr);
}

int compare_files(const CompareArguments& arguments) {
  for (const char* option : kOfMeasuring) {
    if (!is_named(*arguments.verb, option)) continue;
    return fail({Errc::invalid_argument,
                 fmt::format("{} is for measuring; two run files are compared by the energies that "
                             "were estimated when they were made",
                             option)},
                Stage::input);
  }
  const auto compared = compare::compare_run_files(arguments.files[0], arguments.files[1]);
  if (!compared) return fail(compared.error(), Stage::input);
  return deliver(*compared, arguments.common);
}

int compare_loads(const CompareArguments& arguments) {
  const auto seed = static_cast<unsigned>(arguments.common.seed);
  const auto a = load::parse_schedule(arguments.load, seed);
  if (!a) return fail(a.error(), Stage::input);
  const auto b = load::parse_schedule(arguments.other_load, seed);
  if (!b) return fail(b.error(), Stage::input);
  const devices::Environment env = devices::environment_of_process();
  auto set =
      devices::open_devices(device_request(arguments.common, devices::Pace::virtual_time), env);
  if (!set)
    return fail(with_variable(set.error(), arguments.common), stage_of_opening(arguments.common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  const capture::StopOnSignal stop;
  compare::CompareOptions options = options_of(arguments);
  options.measure.stop = stop.token();
  return finish(compare::compare_loads(*set, *a, *b, env, options), arguments.common,
                Stage::device);
}

int compare_commands(const CompareArguments& arguments) {
  const auto& words = arguments.commands;
  const auto between = std::find(words.begin(), words.end(), "--vs");
  const std::vector<std::string> a(words.begin(), between);
  const std::vector<std::string> b(between == words.end() ? between : between + 1, words.end());
  if (a.empty() || b.empty()) {
    return fail({Errc::invalid_argument,
                 "compare needs two commands with --vs between them: -- CMD ARGS --vs CMD ARGS"},
                Stage::input);
  }
  if (std::find(b.begin(), b.end(), "--vs") != b.end()) {
    return fail(
        {Errc::invalid_argument,
         "compare takes two commands; a second --vs would begin a third. An argument --vs of "
         "a command's own can stand in a script or sh -c"},
        Stage::input);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(arguments.common, devices::Pace::real_time), env);
  if (!set)
    return fail(with_variable(set.error(), arguments.common), stage_of_opening(arguments.common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  // A command that is not there is the command line's mistake.
  return finish(compare::compare_commands(*set, a, b, env, options_of(arguments)), arguments.common,
                Stage::input);
}

int compare(const CompareArguments& arguments) {
  const bool loads = !arguments.load.empty() || !arguments.other_load.empty();
  const int ways = static_cast<int>(!arguments.files.empty()) + static_cast<int>(loads) +
                   static_cast<int>(!arguments.commands.empty());
  const bool one_load = loads && (arguments.load.empty() || arguments.other_load.empty());
  if (ways == 1 && one_load) {
    return fail(
        {Errc::invalid_argument, "compare plays two loads: --load SPEC --vs-load SPEC; give both"},
        Stage::input);
  }
  if (ways != 1 || (!arguments.files.empty() && arguments.files.size() != 2)) {
    return fail({Errc::invalid_argument, std::string(kHow)}, Stage::input);
  }
  if (const auto wrong = why_no_work(arguments.work)) return fail(*wrong, Stage::input);
  if (arguments.other_done && !(arguments.work && arguments.work->done)) {
    return fail({Errc::invalid_argument, "--vs-done is the second command's --done; give both"},
                Stage::input);
  }
  if (arguments.work && arguments.commands.empty()) {
    return fail(
        {Errc::invalid_argument,
         "--done and --done-file say what commands did (-- CMD --vs CMD); leave them out with "
         "loads, and with run files, which have what run --done said"},
        Stage::input);
  }
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  if (!arguments.files.empty()) return compare_files(arguments);
  return loads ? compare_loads(arguments) : compare_commands(arguments);
}

}  // namespace

Verb add_compare(CLI::App& app, std::vector<std::string> commands) {
  auto arguments = std::make_shared<CompareArguments>();
  arguments->commands = std::move(commands);
  CLI::App* verb =
      app.add_subcommand("compare",
                         "How much more energy one thing takes than another: two run files, "
                         "commands or loads");
  verb->footer(R"(Examples:
  truewatt compare -- ./old --vs ./new              two commands, in turns
  truewatt compare a.db b.db                        two files of run --out
  truewatt compare -d sim:h100 --load step:level=0.5 --vs-load step:level=0.6

The scale of the sensor cancels in the ratio, so differences far below 1 % show
on one and the same GPU.)");
  arguments->verb = verb;
  verb->add_flag_function(
          "--vs",
          [](std::int64_t) {
            throw CLI::ValidationError(
                "--vs", "stands between two commands behind --: compare -- CMD ARGS --vs CMD ARGS");
          })
      ->group("");
  verb->add_option("files", arguments->files, "Two run files made with --out")
      ->check(input_file())
      ->type_name("RUN.db");
  verb->add_option("--load", arguments->load,
                   "A built-in load (as in measure), played in turns with --vs-load")
      ->type_name("SPEC");
  verb->add_option("--vs-load", arguments->other_load, "The load that it is compared with")
      ->type_name("SPEC");
  add_work(*verb, arguments->work);
  verb->add_option("--vs-done", arguments->other_done,
                   "Work of the second command, where it is another amount than --done")
      ->check(amount())
      ->type_name("AMOUNT");
  verb->add_option("-r,--repeat", arguments->rounds,
                   "Number of rounds of both (default: until --target)")
      ->group(group::kPrecision)
      ->check(whole_from_to(1, 100000))
      ->type_name("N");
  add_target(*verb, arguments->target,
             "Stop when half the ratio's 95 % interval is this share (default 1%)");
  verb->add_option(
          "--budget", arguments->budget_s,
          "Seconds after which no further round starts; five are made unless they take more than "
          "twice as long")
      ->group(group::kPrecision)
      ->check(from_to(1.0, 86400.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_seed(*verb, arguments->common)->envname("TRUEWATT_SEED");
  add_poll(*verb, arguments->common);
  add_common(*verb, arguments->common, {.knows = true, .report = true, .details = true});
  return [arguments] { return compare(*arguments); };
}

}  // namespace truewatt::cli
