#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/output.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/devices/device_listing.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::cli {
namespace {

void print_lines(const std::string& text) { print_out(safe(text)); }

/// Wrapped as wide as the terminal is.
void print_wrapped(std::string_view label, std::string_view text) {
  print_lines(report::hanging(label, text, static_cast<std::size_t>(terminal_width(Stream::out))));
}

struct DoctorArguments {
  CommonOptions common;
  double seconds = 3.0;
};

void check(bool good, const std::string& what, const std::string& advice) {
  print_lines(fmt::format("[{}] {}\n", good ? "ok" : "--", what));
  if (!good && !advice.empty()) print_wrapped("     ", advice);
}

bool loads(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

void check_libraries(const devices::Environment& env) {
  const std::string nvml = env.nvml_library.empty() ? "libnvidia-ml.so.1" : env.nvml_library;
  const std::string cuda = env.cuda_library.empty() ? "libcuda.so.1" : env.cuda_library;
  check(loads(nvml), nvml + " (power readings)",
        "Install the NVIDIA driver; in a container start it with --gpus all.");
  check(loads(cuda), cuda + " (built-in loads)",
        "Needed only to play built-in loads on a real GPU (measure, characterize, memory, ...); "
        "it is part of the driver.");
}

void check_source(const sensor::SourceStatus& status) {
  check(status.answers(), to_string(status.source), status.refusal ? status.refusal->message : "");
}

void check_sources(const devices::ListedDevice& device) {
  print_lines(fmt::format("\n{} {}  {}  driver {}\n", device.identity.index, device.identity.name,
                          device.identity.uuid, device.identity.driver));
  for (const sensor::SourceStatus& status : device.sources) {
    check_source(status);
  }
  for (const std::string& note : device.notes) print_wrapped("     note: ", note);
}

void check_host(const devices::Environment& env) {
  for (const devices::ListedDevice& host : devices::list_host(env)) {
    print_lines(fmt::format("\n{}\n", host.identity.name));
    for (const sensor::SourceStatus& status : host.sources) {
      check_source(status);
    }
    for (const std::string& note : host.notes) print_wrapped("     note: ", note);
  }
}

void print_cost(const devices::SamplingCost& cost) {
  print_lines("\n");
  print_wrapped("", fmt::format("Sampling {} for {:.1f} s cost {:.2f} % of a core, {:.2f} % of it "
                                "inside the driver.",
                                cost.device.name, cost.wall_s, 100 * cost.cpu_share,
                                100 * cost.driver_share));
  print_lines(fmt::format("     {:<22} {:>9} {:>11} {:>13}\n", "source", "polls/s", "samples/s",
                          "update period"));
  for (const devices::SourceCost& source : cost.sources) {
    print_lines(fmt::format(
        "     {:<22} {:>9.1f} {:>11.1f} {:>13}\n", to_string(source.source), source.polls_per_s,
        source.samples_per_s,
        source.update_period_s ? fmt::format("{:.2f} ms", 1e3 * *source.update_period_s) : "–"));
  }
}

int doctor(const DoctorArguments& arguments) {
  const devices::Environment env = devices::environment_of_process();
  const CommonOptions& common = arguments.common;
  const bool simulated = !common.devices.empty() && common.devices.front().starts_with("sim:");
  if (!simulated) {
    check_libraries(env);
    check_host(env);
  }
  const auto listed = devices::list_devices(common.devices, env);
  if (!listed) return fail(with_variable(listed.error(), common), stage_of_opening(common));
  for (const devices::ListedDevice& device : *listed) check_sources(device);
  if (arguments.seconds <= 0) return kOk;
  const capture::StopOnSignal stop;
  auto set = devices::open_devices(
      {.selectors = common.devices, .pace = devices::Pace::real_time, .seed = common.seed}, env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  const auto progress = terminal_progress(common.quiet);
  if (progress) progress(std::nullopt, fmt::format("sampling for {} s", arguments.seconds));
  const auto costs =
      devices::sampling_cost(*set, Seconds(arguments.seconds), poll_options(common), stop.token());
  end_progress(common.quiet);
  for (const devices::SamplingCost& cost : costs) print_cost(cost);
  for (const std::string& note : set->notes) print_wrapped("note: ", note);
  return kOk;
}

}  // namespace

Verb add_doctor(CLI::App& app) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* verb = app.add_subcommand(
      "doctor", "What answers, what refuses and what to do about it, what sampling costs");
  verb->footer(R"(Examples:
  truewatt doctor                 this machine: driver, permissions, sensors
  truewatt doctor --seconds 0     without sampling)");
  verb->add_option("--seconds", arguments->seconds,
                   "How long to sample each device for the cost; 0: not at all")
      ->check(from_to(0.0, 3600.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_poll(*verb, arguments->common);
  add_common(*verb, arguments->common, {.json = false});
  return [arguments] { return doctor(*arguments); };
}

}  // namespace truewatt::cli
