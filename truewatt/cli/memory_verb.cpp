#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/count_with_ncu.hpp"
#include "truewatt/cli/counts_of_file.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/counters/ncu/ncu_counters.hpp"
#include "truewatt/memory/memory.hpp"
#include "truewatt/memory/table_file.hpp"
#include "truewatt/report/memory/memory_html.hpp"
#include "truewatt/report/memory/memory_json.hpp"
#include "truewatt/report/memory/memory_text.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::cli {
namespace {

constexpr std::string_view kTableKind = "memory";

struct MemoryArguments {
  CommonOptions common;
  bool caches = false;
  bool no_sweep = false;
  bool no_counters = false;
  bool ncu = false;
  bool ncu_command = false;
  std::string counters_from;
  std::string launch_counted;
  bool products = false;
  std::string from;
  bool kept = false;
  double budget_s = 300.0;
};

memory::Options options_of(const MemoryArguments& arguments) {
  const CommonOptions& common = arguments.common;
  return {.budget = Seconds(arguments.budget_s),
          .only_caches = arguments.caches,
          .sweep = !arguments.no_sweep,
          .products = arguments.products,
          .counters = !arguments.no_counters,
          .only_elsewhere = arguments.ncu,
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

/// Keeps a real device's table where it is found again; says where, or why not.
std::string keep(const memory::Table& table, bool simulated) {
  if (simulated) return "a simulated device's table is not saved; write it with --json FILE";
  if (!has_result(table) || table.levels.empty() || table.interrupted) {
    return "the table is not saved: it is not complete";
  }
  const auto directory = store::default_directory();
  if (!directory) return fmt::format("the table is not saved: {}", directory.error().message);
  const auto path =
      store::save_table(*directory, kTableKind, table.device, report::memory_json(table));
  if (!path) return fmt::format("the table is not saved: {}", path.error().message);
  return fmt::format("saved as {}; `truewatt memory --kept` shows it", path->string());
}

/// The table that was kept for the one device.
int show_kept(const devices::DeviceSet& set, const MemoryArguments& arguments) {
  const DeviceIdentity& device = set.devices.front().sensor->device();
  const auto directory = store::default_directory();
  if (!directory) return fail(directory.error());
  const auto found = store::find_table(*directory, kTableKind, device);
  if (!found) return fail(found.error());
  if (!*found) {
    return fail({Errc::unavailable,
                 set.simulated()
                     ? fmt::format("no table of {} is saved: those of simulated devices never are; "
                                   "use --json FILE, then --from FILE",
                                   device.name)
                     : fmt::format("no table of {} is saved; `truewatt memory -d {}` measures one",
                                   device.name, device.uuid)},
                Stage::input);
  }
  auto table = memory::parse_table((*found)->json, (*found)->path.string());
  if (!table) return fail(table.error(), Stage::input);
  if (!(*found)->same_driver) {
    table->notes.push_back(fmt::format("measured under driver {}, not today's {}",
                                       table->device.driver, device.driver));
  }
  return deliver_memory(*table, arguments);
}

/// What this program does where ncu counts it.
int launch_counted(devices::DeviceSet& set, const devices::Environment& env,
                   const std::string& text) {
  const auto plan = parse_counted_plan(text);
  if (!plan) return fail(plan.error(), Stage::input);
  const auto marks = counters::ncu::make_marks();
  print_out(line_before_launches(set.devices.front().sensor->device().uuid, *plan));
  const auto done = memory::launch_what_is_counted(set, env, *marks, *plan);
  if (!done) return fail(done.error(), Stage::device);
  print_out(line_after_launches(*done));
  return kOk;
}

/// What an administrator runs where this user is refused counters.
int print_ncu_command(devices::DeviceSet& set, const devices::Environment& env) {
  const auto plan = memory::plan_what_is_counted(set, env);
  if (!plan) return fail(plan.error(), Stage::device);
  const auto line = shell_command_of_ncu(set.devices.front().sensor->device().uuid, *plan);
  if (!line) return fail(line.error());
  print_out(*line + "\n");
  return kOk;
}

/// Has the launches of a file stand in for counters.
Result<void> count_by_file(const std::string& path, const std::string& uuid,
                           memory::Options& options) {
  auto file = read_counts_file(path, uuid);
  if (!file) return Unexpected(file.error());
  if (options.products && !file->plan.products) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} has no launches of --matmul; record it with the command that "
                                  "`truewatt memory --ncu-command` prints",
                                  path));
  }
  options.only_elsewhere = true;
  options.counted = file->plan;
  options.elsewhere = [launches = std::move(file->launches)](const memory::CountedPlan&) {
    return Result<std::unique_ptr<counters::Counters>>(counters::ncu::make_counted(launches));
  };
  return {};
}

/// Where a real device's counters were refused, someone else may count.
void hint_at_ncu_command(const devices::DeviceSet& set, const MemoryArguments& arguments,
                         memory::Table& table) {
  const bool refused = table.verified_by == "time" && !arguments.no_counters && !arguments.caches;
  if (!refused || set.simulated()) return;
  table.notes.push_back(fmt::format(
      "who may read counters can count for you: `truewatt memory -d {} --ncu-command` prints the "
      "command, --counters-from FILE uses what it wrote",
      table.device.uuid));
}

int measure_accesses(const MemoryArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  if (!arguments.from.empty()) {
    const auto table = memory::read_table(arguments.from);
    if (!table) return fail(table.error(), Stage::input);
    return deliver_memory(*table, arguments);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  if (arguments.kept && set->devices.size() == 1) return show_kept(*set, arguments);
  if ((arguments.ncu || arguments.ncu_command) && set->simulated()) {
    return fail({Errc::invalid_argument,
                 fmt::format("{}: a simulated GPU counts by itself; name a real one with --device",
                             arguments.ncu ? "--ncu" : "--ncu-command")},
                Stage::input);
  }
  if (arguments.ncu_command && set->devices.size() == 1) return print_ncu_command(*set, env);
  if (!arguments.launch_counted.empty()) return launch_counted(*set, env, arguments.launch_counted);
  const capture::StopOnSignal stop;
  memory::Options options = options_of(arguments);
  options.stop = stop.token();
  const DeviceIdentity& device = set->devices.front().sensor->device();
  if (!arguments.counters_from.empty()) {
    const auto counted = count_by_file(arguments.counters_from, device.uuid, options);
    if (!counted) return fail(counted.error(), Stage::input);
  } else if (!arguments.no_counters) {
    options.elsewhere = count_with_ncu(device.uuid, stop.token());
  }
  auto table = memory::measure_memory(*set, env, options);
  end_progress(common.quiet);
  if (!table) return fail(table.error());
  if (!arguments.counters_from.empty()) {
    table->notes.push_back(fmt::format("what ncu counted is that of {}", arguments.counters_from));
  }
  hint_at_ncu_command(*set, arguments, *table);
  if (!options.only_caches) table->notes.push_back(keep(*table, set->simulated()));
  return deliver_memory(*table, arguments);
}

}  // namespace

Verb add_memory(CLI::App& app) {
  auto arguments = std::make_shared<MemoryArguments>();
  CLI::App* verb = app.add_subcommand(
      "memory", "Energy per memory access: shared memory, L1, L2, DRAM, loads and stores");
  verb->footer(R"(Examples:
  truewatt memory -d 0 --json h100.json --report h100.html
  truewatt memory -d 0 --caches        sizes of the caches alone, seconds
  truewatt memory -d 0 --no-counters   as an ordinary user without counters
  truewatt memory -d 0 --ncu           counted by Nsight Compute
  truewatt memory -d 0 --ncu-command   what an administrator runs, > counted.csv
  truewatt memory -d 0 --counters-from counted.csv
  truewatt memory -d sim:h100          without a GPU)");
  CLI::Option* from = verb->add_option("--from", arguments->from,
                                       "Show a table that --json wrote instead of measuring one")
                          ->check(input_file())
                          ->type_name("FILE");
  verb->add_flag("--caches", arguments->caches,
                 "Find the sizes of caches, sectors and lines, and end")
      ->excludes(from);
  verb->add_flag("--kept", arguments->kept, "Show the table that was saved of this device")
      ->excludes(from);
  verb->add_flag("--no-sweep", arguments->no_sweep,
                 "Leave out energy against the number of threads")
      ->excludes(from)
      ->excludes("--caches");
  verb->add_flag("--matmul", arguments->products,
                 "Products of matrices too, 512 to 4096 rows: energy predicted from the table and "
                 "their sectors, counted or computed, beside what is measured")
      ->excludes(from)
      ->excludes("--caches");
  verb->add_flag("--no-counters", arguments->no_counters,
                 "Do not read hardware counters: levels by the caches' sizes and by time")
      ->excludes(from);
  verb->add_flag("--ncu", arguments->ncu,
                 "Have ncu (Nsight Compute) count, as is done where CUPTI is missing: this program "
                 "is started under it once more, which takes a minute")
      ->excludes(from)
      ->excludes("--no-counters");
  verb->add_flag("--ncu-command", arguments->ncu_command,
                 "Print the ncu command that counts what this verb launches, and end: for someone "
                 "who may read counters")
      ->excludes(from)
      ->excludes("--caches");
  verb->add_option("--counters-from", arguments->counters_from,
                   "Levels verified by what that command wrote (ncu --csv), in place of counting")
      ->excludes(from)
      ->excludes("--caches")
      ->excludes("--no-counters")
      ->excludes("--ncu")
      ->excludes("--ncu-command")
      ->check(input_file())
      ->type_name("FILE");
  verb->add_option(kLaunchCounted, arguments->launch_counted)->group("");
  verb->add_option("--budget", arguments->budget_s,
                   "Most seconds; it ends sooner when every level is known to 5 %")
      ->excludes(from)
      ->excludes("--caches")
      ->check(from_to(30.0, 86400.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  verb->add_option("-x", arguments->common.separator, "Print the result as CSV with this separator")
      ->check(separator())
      ->type_name("SEP")
      ->group(group::kOutput);
  add_seed(*verb, arguments->common)->envname("TRUEWATT_SEED");
  add_poll(*verb, arguments->common);
  add_common(*verb, arguments->common, {.knows = true, .report = true, .details = true});
  without_measuring(*verb, *from);
  return [arguments] { return measure_accesses(*arguments); };
}

}  // namespace truewatt::cli
