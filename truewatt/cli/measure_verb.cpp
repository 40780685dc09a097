#include <fmt/format.h>

#include <memory>
#include <optional>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/study/measurement.hpp"

namespace truewatt::cli {
namespace {

struct MeasureArguments {
  CommonOptions common;
  std::string load = "fma";
  bool blind = false;
};

int measure(const MeasureArguments& arguments) {
  const CommonOptions& common = arguments.common;
  const auto schedule = load::parse_schedule(arguments.load, static_cast<unsigned>(common.seed));
  if (!schedule) return fail(schedule.error(), Stage::input);
  const study::Environment env = study::environment_of_process();
  auto set = study::open_devices(device_request(common, study::Pace::virtual_time), env);
  if (!set) return fail(set.error(), stage_of_opening(common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  const capture::StopOnSignal stop;
  study::MeasureOptions options = measure_options(common);
  options.blind = arguments.blind;
  options.metadata["load"] = arguments.load;
  options.stop = stop.token();
  const auto measurement = study::measure(*set, *schedule, env, options);
  end_progress(common.quiet);
  if (!measurement) return fail(measurement.error());
  return deliver(*measurement, common, "truewatt measure: " + arguments.load);
}

}  // namespace

Verb add_measure(CLI::App& app) {
  auto arguments = std::make_shared<MeasureArguments>();
  CLI::App* verb =
      app.add_subcommand("measure", "Measure a built-in load on a GPU, real or simulated");
  verb->add_option("--load", arguments->load,
                   "fma, step:on=3s, square:period=100ms,duty=0.5,duration=8s,\n"
                   "burst:on=10ms,gap=300ms,jitter=100ms,count=16, trace:FILE.csv;\n"
                   "level=0..1 is the share of the SMs; bare numbers are seconds")
      ->capture_default_str()
      ->type_name("SPEC");
  verb->add_flag("--blind", arguments->blind,
                 "Do not tell the estimator when the load was on, as for a foreign program");
  add_common(*verb, arguments->common, {.measures = true, .report = true});
  return [arguments] { return measure(*arguments); };
}

}  // namespace truewatt::cli
