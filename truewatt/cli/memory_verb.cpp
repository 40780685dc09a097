#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/memory/memory.hpp"
#include "truewatt/report/memory/memory_html.hpp"
#include "truewatt/report/memory/memory_json.hpp"
#include "truewatt/report/memory/memory_text.hpp"

namespace truewatt::cli {
namespace {

struct MemoryArguments {
  CommonOptions common;
  bool caches = false;
  bool no_sweep = false;
  bool no_counters = false;
  double budget_s = 300.0;
};

memory::Options options_of(const MemoryArguments& arguments) {
  const CommonOptions& common = arguments.common;
  return {.budget = Seconds(arguments.budget_s),
          .only_caches = arguments.caches,
          .sweep = !arguments.no_sweep,
          .counters = !arguments.no_counters,
          .seed = common.seed,
          .polling = poll_options(common),
          .estimate = measure_options(common).estimate,
          .progress = terminal_progress(common.quiet)};
}

bool has_result(const memory::Table& table) {
  if (table.levels.empty()) return table.caches.l1_bytes || table.caches.l2_bytes;
  for (const memory::LevelRow& row : table.levels) {
    if (row.valid) return true;
  }
  return false;
}

int deliver_memory(const memory::Table& table, const MemoryArguments& arguments) {
  const CommonOptions& common = arguments.common;
  const bool json = write_asked_for(common.json, [&] { return report::memory_json(table); });
  const std::vector<std::pair<std::string, std::string>> metadata{
      {"Device", table.device.name}, {"UUID", table.device.uuid}, {"truewatt", table.tool_version}};
  const bool html =
      write_asked_for(common.report, [&] { return report::memory_html(table, metadata); });
  const Stream stream = summary_stream(common);
  if (!common.separator.empty()) {
    print_out(report::memory_csv(table, common.separator));
  } else if (!common.quiet) {
    print_to(stream, report::memory_text(table, text_options(common, stream)));
  }
  if (!json || !html) return kOther;
  return has_result(table) && !table.interrupted ? kOk : kNotValid;
}

int measure_accesses(const MemoryArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(set.error(), stage_of_opening(common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  const capture::StopOnSignal stop;
  memory::Options options = options_of(arguments);
  options.stop = stop.token();
  const auto table = memory::measure_memory(*set, env, options);
  end_progress(common.quiet);
  if (!table) return fail(table.error());
  return deliver_memory(*table, arguments);
}

}  // namespace

Verb add_memory(CLI::App& app) {
  auto arguments = std::make_shared<MemoryArguments>();
  CLI::App* verb = app.add_subcommand(
      "memory", "Energy per memory access: shared memory, L1, L2, DRAM, loads and stores");
  verb->footer(R"(Examples:
  truewatt memory -d 0 --json h100.json --report h100.html
  truewatt memory -d 0 --caches                  sizes of the caches alone, seconds
  truewatt memory -d 0 --no-counters             as an ordinary user without counters
  truewatt memory -d sim:h100                    without a GPU)");
  verb->add_flag("--caches", arguments->caches,
                 "Find the sizes of caches, sectors and lines, and end");
  verb->add_flag("--no-sweep", arguments->no_sweep,
                 "Leave out energy against the number of threads");
  verb->add_flag("--no-counters", arguments->no_counters,
                 "Do not read hardware counters: levels by the caches' sizes and by time");
  verb->add_option("--budget", arguments->budget_s,
                   "Most seconds; it ends sooner when every level is known to 5 %")
      ->check(from_to(10.0, 86400.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  verb->add_option("-x", arguments->common.separator, "Print the result as CSV with this separator")
      ->type_name("SEP")
      ->group(group::kOutput);
  add_seed(*verb, arguments->common)->envname("TRUEWATT_SEED");
  add_poll(*verb, arguments->common);
  add_common(*verb, arguments->common, {.knows = true, .report = true, .details = true});
  return [arguments] { return measure_accesses(*arguments); };
}

}  // namespace truewatt::cli
