#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <memory>

#include "truewatt/capture/command.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/usage.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/clock/system_clock.hpp"
#include "truewatt/measure/measurement.hpp"

namespace truewatt::cli {
namespace {

struct RunArguments {
  CommonOptions common;
  std::string load;
  double tail_s = 0.7;
  std::optional<measure::WorkAsked> work;
  std::vector<std::string> command;
  CLI::App* verb = nullptr;
};

int fail_run(const Error& error) {
  complain(error);
  return kRunFailed;
}

/// Not found and not executable have codes of their own, as in a shell.
int fail_start(const Error& error) {
  complain(error);
  if (error.code == Errc::unavailable) return kRunNotFound;
  if (error.code == Errc::permission) return kRunNotExecutable;
  return kRunFailed;
}

/// `run [options] CMD ARGS` and `run [options] -- CMD ARGS`; a `--` that comes after CMD is CMD's.
std::vector<std::string> command_of(const RunArguments& arguments) {
  std::vector<std::string> command = arguments.verb->remaining();
  if (!command.empty() && !arguments.command.empty()) command.emplace_back("--");
  command.insert(command.end(), arguments.command.begin(), arguments.command.end());
  return command;
}

/// A closed stderr must not end us in the command's place. A handler rather than SIG_IGN: the
/// command starts with the disposition that we were started with.
void survive_closed_pipes() {
  const auto before = std::signal(SIGPIPE, [](int) {});
  if (before == SIG_IGN) std::signal(SIGPIPE, SIG_IGN);
}

/// Whatever a driver does, the job runs. A mistake in the call is no driver's, nor is a simulation.
bool is_of_driver(const Error& error, const std::vector<std::string>& selectors) {
  const auto may_be_gpu = [](const std::string& one) {
    const bool is_number =
        !one.empty() && one.find_first_not_of("0123456789,") == std::string::npos;
    const bool is_uuid = one.starts_with("GPU-") || one.starts_with("MIG-");
    const bool is_pci = one.find_first_not_of("0123456789abcdefABCDEF:.") == std::string::npos &&
                        one.find(':') != std::string::npos;
    return is_number || is_uuid || is_pci;
  };
  if (!std::all_of(selectors.begin(), selectors.end(), may_be_gpu)) return false;
  switch (error.code) {
    case Errc::unavailable:
    case Errc::permission:
    case Errc::timed_out:
    case Errc::device:
      return true;
    default:
      return false;
  }
}

/// Names --device where it stands behind the command, whose option it is then; else nothing.
std::string behind_command(const std::vector<std::string>& command) {
  for (std::size_t i = 1; i + 1 < command.size(); ++i) {
    const bool is_device = command[i] == "-d" || command[i] == "--device";
    if (is_device && command[i + 1].starts_with("sim:")) {
      return fmt::format(" ({} {} stands behind {}, whose option it is; put it before)", command[i],
                         command[i + 1], command[0]);
    }
  }
  return "";
}

/// A driver that fails or does not answer keeps no job: the command runs, and nothing is measured.
int run_unmeasured(const std::vector<std::string>& command, const Error& why) {
  complain({why.code,
            why.message + ". The command runs now and is not measured" + behind_command(command)});
  SystemClock clock;
  const auto exit = capture::CommandRunner().run(command, clock);
  if (!exit) return fail_start(exit.error());
  complain({why.code, "the command was not measured, and no file was written"});
  return exit->code;
}

/// Files that could not be written are our failure, where the command itself did not fail; whether
/// the data are valid is in them.
int run_measured(devices::DeviceSet& set, const std::vector<std::string>& command,
                 const CommonOptions& common, const devices::Environment& env,
                 const measure::CommandOptions& options) {
  const auto measurement = measure::run_command(set, command, env, options);
  end_progress(common.quiet);
  if (!measurement) return fail_start(measurement.error());
  const int delivered = deliver(
      *measurement, common, fmt::format("truewatt run: {}", fmt::join(command, " ")), Stream::err);
  const int code = measurement->run.command->exit_code;
  return delivered == kOther && code == 0 ? static_cast<int>(kRunFailed) : code;
}

/// The command's code outlives whatever happens to us after its end, such as a lack of memory.
int measured(devices::DeviceSet& set, const std::vector<std::string>& command,
             const CommonOptions& common, const devices::Environment& env,
             measure::CommandOptions options) {
  std::optional<int> ended;
  options.on_end = [&ended](int code) { ended = code; };
  try {
    return run_measured(set, command, common, env, options);
  } catch (const std::exception& error) {
    if (!ended) throw;
    complain(error_of(error));
    return *ended == 0 ? static_cast<int>(kRunFailed) : *ended;
  }
}

int run(const RunArguments& arguments) {
  survive_closed_pipes();
  const CommonOptions& common = arguments.common;
  const std::vector<std::string> command = command_of(arguments);
  const std::vector<std::string> undeclared = arguments.verb->remaining();
  if (!undeclared.empty() && undeclared.front().starts_with('-')) {
    return fail_run(
        {Errc::invalid_argument, unknown_option(*arguments.verb, undeclared.front()) +
                                     " (put -- before a command whose name begins with -)"});
  }
  if (const auto vague = why_no_work(arguments.work)) return fail_run(*vague);
  if (command.empty()) {
    return fail_run({Errc::invalid_argument, "run needs a command: truewatt run [options] -- CMD"});
  }
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail_run(good.error());
  }
  const devices::Environment env = devices::environment_of_process();
  const devices::DeviceRequest request = device_request(common, devices::Pace::real_time);
  auto set = devices::open_devices(request, env);
  if (!set && is_of_driver(set.error(), request.selectors))
    return run_unmeasured(command, set.error());
  if (!set) return fail_run(with_variable(set.error(), common));
  measure::CommandOptions options{.measure = measure_options(common),
                                  .work = arguments.work,
                                  .tail = Seconds(arguments.tail_s)};
  options.measure.all_windows = !common.json.empty();
  options.measure.metadata["command"] = fmt::format("{}", fmt::join(command, " "));
  if (!arguments.load.empty()) {
    if (!set->simulated()) {
      return fail_run({Errc::invalid_argument, "--load is for simulated devices (sim:...) only"});
    }
    auto schedule = load::parse_schedule(arguments.load, static_cast<unsigned>(common.seed));
    if (!schedule) return fail_run(schedule.error());
    options.load = std::move(*schedule);
  }
  return measured(*set, command, common, env, std::move(options));
}

}  // namespace

Verb add_run(CLI::App& app, std::vector<std::string> command) {
  auto arguments = std::make_shared<RunArguments>();
  arguments->command = std::move(command);
  CLI::App* verb =
      app.add_subcommand("run", "The energy of a command; its streams and exit code pass through");
  arguments->verb = verb;
  verb->prefix_command();
  verb->footer(R"(Examples:
  truewatt run ./train.py --epochs 3
  truewatt run -d 0 --report run.html -- ./train.py
  truewatt run --done 1e6 --unit tokens -- ./generate.py    J/token, tokens/J
  truewatt run -d sim:h100 --load fma -- sleep 3            without a GPU

The summary is on stderr, as stdout is the command's. The exit code is the
command's; 125: truewatt failed, 126: not executable, 127: not found. Where no
driver answers the command runs unmeasured, and stderr says so.)");
  verb->add_option("--load", arguments->load,
                   "Simulated devices: what they do meanwhile (as in measure; default: idle)")
      ->type_name("SPEC")
      ->group(group::kDevice);
  verb->add_option("--tail", arguments->tail_s,
                   "Idle seconds recorded after a command that outlived an update period")
      ->group(group::kExpert)
      ->check(from_to(0.0, 60.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_work(*verb, arguments->work);
  add_node(*verb, arguments->common);
  add_common(*verb, arguments->common, {.measures = true, .report = true});
  return [arguments] { return run(*arguments); };
}

}  // namespace truewatt::cli
