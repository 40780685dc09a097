#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/measure/measurement.hpp"
#include "truewatt/measure/repeated.hpp"

namespace truewatt::cli {
namespace {

struct MeasureArguments {
  CommonOptions common;
  std::string load = "fma";
  bool blind = false;
  std::optional<int> executions;
  std::optional<double> target;
  double budget_s = 60;
  bool budget_named = false;
};

int measure_repeatedly(const MeasureArguments& arguments, devices::DeviceSet& set,
                       const load::Schedule& schedule, const devices::Environment& env,
                       const measure::MeasureOptions& options) {
  const CommonOptions& common = arguments.common;
  const auto measurement =
      measure::measure_repeatedly(set, schedule, env,
                                  {.measure = options,
                                   .executions = arguments.executions,
                                   .target = arguments.target,
                                   .budget = Seconds(arguments.budget_s),
                                   .good_practice = common.good_practice,
                                   .seed = static_cast<unsigned>(common.seed)});
  end_progress(common.quiet);
  if (!measurement) return fail(measurement.error());
  return deliver(*measurement, common, "truewatt measure: " + arguments.load, Stream::out);
}

int measure(const MeasureArguments& arguments) {
  const CommonOptions& common = arguments.common;
  const auto schedule = load::parse_schedule(arguments.load, static_cast<unsigned>(common.seed));
  if (!schedule) return fail(schedule.error(), Stage::input);
  if (common.good_practice && (arguments.executions || arguments.target)) {
    return fail({Errc::invalid_argument,
                 "--protocol yang says itself how often the load is played; leave out --repeat and "
                 "--target"},
                Stage::input);
  }
  const bool repeats = arguments.executions || arguments.target || common.good_practice;
  if (repeats && common.node) {
    return fail({Errc::invalid_argument,
                 "--node is for one execution: leave --repeat, --target and --protocol yang out"},
                Stage::input);
  }
  if (!arguments.target && arguments.budget_named) {
    return fail({Errc::invalid_argument, "--budget is for --target: it ends the trials"},
                Stage::input);
  }
  if (repeats && !common.out.empty() && !std::filesystem::path(common.out).has_filename()) {
    return fail({Errc::invalid_argument, "--out needs a file name, such as RUN.db"}, Stage::input);
  }
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  const capture::StopOnSignal stop;
  measure::MeasureOptions options = measure_options(common);
  options.all_windows = !common.json.empty();
  options.blind = arguments.blind;
  options.metadata["load"] = arguments.load;
  options.stop = stop.token();
  if (repeats) return measure_repeatedly(arguments, *set, *schedule, env, options);
  const auto measurement = measure::measure(*set, *schedule, env, options);
  end_progress(common.quiet);
  if (!measurement) return fail(measurement.error());
  return deliver(*measurement, common, "truewatt measure: " + arguments.load, Stream::out);
}

}  // namespace

Verb add_measure(CLI::App& app) {
  auto arguments = std::make_shared<MeasureArguments>();
  CLI::App* verb =
      app.add_subcommand("measure", "Measure a built-in load on a GPU, real or simulated");
  verb->footer(R"(Examples:
  truewatt measure                                    3 s of FMA on every GPU
  truewatt measure -d sim:h100 --load step:on=1s      without a GPU
  truewatt measure --load burst:count=50 --target 1%  until it is known to 1 %)");
  verb->add_option(
          "--load", arguments->load,
          "What to play, with these numbers as defaults:\n"
          "fma:on=3s, copy:on=3s, step:on=3s,kernel=fma\n"
          "square:period=100ms,duty=0.5,duration=8s\n"
          "burst:on=10ms,gap=300ms,jitter=100ms,count=16\n"
          "trace:FILE.csv (columns t_s,level)\n"
          "fma multiplies and adds in registers, copy moves device memory; square and burst take a "
          "kernel, too\n"
          "level=0..1 is the share of the SMs; times are in seconds or have a unit (ns, us, ms, "
          "s, min, h); a gap is up to jitter longer, by chance\n")
      ->capture_default_str()
      ->type_name("SPEC");
  verb->add_flag("--blind", arguments->blind,
                 "Estimate without knowing when the load was on, as for any other program")
      ->group(group::kExpert);
  verb->add_option(
          "-r,--repeat", arguments->executions,
          "Play the load N times, in trials at other phases of the sensor; the result is the mean "
          "of one execution. --out RUN.db leaves RUN.1.db, RUN.2.db, ...")
      ->group(group::kPrecision)
      ->check(whole_from_to(1, 1000000))
      ->type_name("N");
  add_target(*verb, arguments->target,
             "Repeat until the precision is this share of the energy (such as 1%), or no number of "
             "repetitions would reach it");
  verb->add_option_function<double>(
          "--budget",
          [arguments](double seconds) {
            arguments->budget_s = seconds;
            arguments->budget_named = true;
          },
          "With --target: seconds after which no further trial starts; five are made unless they "
          "take more than twice as long (default 60)")
      ->group(group::kPrecision)
      ->check(from_to(1.0, 86400.0))
      ->type_name("SECONDS");
  add_node(*verb, arguments->common);
  add_common(*verb, arguments->common, {.measures = true, .repeats = true, .report = true});
  return [arguments] { return measure(*arguments); };
}

}  // namespace truewatt::cli
