#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/meter_options.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/usage.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/instructions/comparison.hpp"
#include "truewatt/instructions/instructions.hpp"
#include "truewatt/instructions/kernel_file.hpp"
#include "truewatt/instructions/prediction.hpp"
#include "truewatt/instructions/table_file.hpp"
#include "truewatt/report/instructions/comparison_text.hpp"
#include "truewatt/report/instructions/instructions_html.hpp"
#include "truewatt/report/instructions/instructions_json.hpp"
#include "truewatt/report/instructions/instructions_text.hpp"

namespace truewatt::cli {
namespace {

struct InstructionsArguments {
  CommonOptions common;
  bool list = false;
  bool verify = false;
  std::vector<std::string> only;
  std::vector<std::string> optimizations;
  std::vector<std::string> operands;
  double budget_s = 600.0;
  std::string protocol = "truewatt";
  std::string meter;
  std::string from;
  std::string compare;
  std::string predict;
  std::string counts;
  std::string kernel;
};

/// `--compare` with a published table instead of a file.
constexpr std::string_view kArafa = "arafa2020";
constexpr std::string_view kPublished = "published";

/// A file, or one of these two; what only begins as one of them is told it.
CLI::Validator table_to_compare() {
  return CLI::Validator(
      [](std::string& text) {
        if (text == kArafa || text == kPublished) return std::string();
        std::error_code none;
        if (std::filesystem::exists(text, none)) return input_file()(text);
        const Words known{std::string(kArafa), std::string(kPublished)};
        auto meant = close_name(text, known);
        for (const std::string& one : known) {
          if (!text.empty() && one.starts_with(text)) meant = one;
        }
        return fmt::format("{}: there is no such file; {}give a table that --json wrote, {} or {}",
                           text, meant ? fmt::format("did you mean {}? Else ", *meant) : "", kArafa,
                           kPublished);
      },
      "");
}

Result<instructions::Options> options_of(const InstructionsArguments& arguments) {
  const CommonOptions& common = arguments.common;
  instructions::Options options{.budget = Seconds(arguments.budget_s),
                                .seed = common.seed,
                                .polling = poll_options(common),
                                .progress = terminal_progress(common.quiet)};
  options.estimate = measure_options(common).estimate;
  options.selection.only = arguments.only;
  if (!arguments.optimizations.empty()) {
    options.selection.optimizations.clear();
    for (const std::string& name : arguments.optimizations) {
      options.selection.optimizations.push_back(name == "O0" ? kernels::Optimization::O0
                                                             : kernels::Optimization::O3);
    }
  }
  if (!arguments.operands.empty()) {
    options.selection.operands.clear();
    for (const std::string& name : arguments.operands) {
      options.selection.operands.push_back(*kernels::find_operands(name));
    }
  }
  if (arguments.protocol == "all") {
    options.estimate.readers = {energy::Reader::sma, energy::Reader::papi, energy::Reader::mtsm};
  }
  options.verify = arguments.verify;
  options.selection.verified = arguments.verify;
  options.one_thread = arguments.protocol == "arafa";
  options.selection.table_one = options.one_thread;
  return options;
}

/// Whose rows predict: of the kind that was asked for first.
kernels::Operands predicting(const InstructionsArguments& arguments) {
  if (arguments.operands.empty()) return kernels::Operands::random;
  return *kernels::find_operands(arguments.operands.front());
}

bool has_result(const instructions::Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const instructions::Row& row) { return row.valid; });
}

/// Whether the table predicts the kernels that it was asked about.
bool is_verified(const instructions::Table& table) {
  return std::all_of(table.verification.begin(), table.verification.end(),
                     [](const instructions::VerifiedKernel& one) { return one.holds(); });
}

/// What --compare and --predict set beside the table: read before anything is measured.
struct Beside {
  std::optional<instructions::Table> other;
  std::optional<instructions::KernelCounts> executed;
};

Result<Beside> read_beside(const InstructionsArguments& arguments) {
  Beside beside;
  const bool is_built_in = arguments.compare == kArafa || arguments.compare == kPublished;
  if (!arguments.compare.empty() && !is_built_in) {
    auto other = instructions::read_table(arguments.compare);
    if (!other) return Unexpected(other.error());
    beside.other = *std::move(other);
  }
  if (!arguments.predict.empty()) {
    auto executed =
        instructions::read_kernel_counts(arguments.predict, arguments.counts, arguments.kernel);
    if (!executed) return Unexpected(executed.error());
    beside.executed = *std::move(executed);
  }
  return beside;
}

/// The table beside what it is compared with, and what it predicts.
report::InstructionsBeside set_beside(const instructions::Table& table, const Beside& beside,
                                      const InstructionsArguments& arguments) {
  const std::string& compare = arguments.compare;
  report::InstructionsBeside results;
  if (compare == kArafa) results.published = report::beside_arafa(table);
  if (compare == kPublished) results.published = report::beside_published_values(table);
  if (beside.other) {
    results.compared = instructions::compare_tables(table, *beside.other);
    results.other = beside.other->device.name;
  }
  if (beside.executed) {
    results.prediction = instructions::predict(table, *beside.executed, predicting(arguments));
  }
  return results;
}

std::string further_text(const instructions::Table& table, const Beside& beside,
                         const report::InstructionsBeside& results,
                         const InstructionsArguments& arguments,
                         const report::TextOptions& options) {
  std::string text;
  if (results.published) {
    const auto published_text = arguments.compare == kArafa ? report::compared_with_arafa_text
                                                            : report::compared_with_published_text;
    text += published_text(table, *results.published, options);
  }
  if (results.compared) {
    text += report::compared_tables_text(table, *beside.other, *results.compared, options);
  }
  if (results.prediction) text += report::prediction_text(table, *results.prediction, options);
  return text;
}

std::string csv_of(const instructions::Table& table, const report::InstructionsBeside& results,
                   const std::string& separator) {
  if (results.prediction) return report::prediction_csv(*results.prediction, separator);
  if (results.published) return report::published_csv(*results.published, separator);
  if (results.compared) return report::comparison_csv(*results.compared, separator);
  return report::instructions_csv(table, separator);
}

int deliver_table(const instructions::Table& table, const Beside& beside,
                  const report::InstructionsBeside& results,
                  const InstructionsArguments& arguments) {
  const CommonOptions& common = arguments.common;
  const bool json =
      write_asked_for(common.json, [&] { return report::instructions_json(table, results); });
  const std::vector<std::pair<std::string, std::string>> metadata{
      {"Device", table.device.name}, {"UUID", table.device.uuid}, {"truewatt", table.tool_version}};
  const bool html =
      write_asked_for(common.report, [&] { return report::instructions_html(table, metadata); });
  const bool csv = !common.separator.empty();
  if (csv) print_out(csv_of(table, results, common.separator));
  const Stream stream = summary_stream(common);
  if (!common.quiet) {
    const report::TextOptions options = text_options(common, stream);
    std::string text = further_text(table, beside, results, arguments, options);
    if (text.empty() && !csv) text = report::instructions_text(table, options);
    print_to(stream, text);
  }
  if (!json || !html) return kOther;
  if (results.prediction && !results.prediction->energy_j) return kNotValid;
  if (results.compared && results.compared->empty()) return kNotValid;
  if (results.published && results.published->rows.empty()) return kNotValid;
  return has_result(table) && is_verified(table) && !table.interrupted ? kOk : kNotValid;
}

int show_table(const InstructionsArguments& arguments, const Beside& beside) {
  auto table = instructions::read_table(arguments.from);
  if (!table) return fail(table.error(), Stage::input);
  const bool selects =
      !arguments.only.empty() || !arguments.optimizations.empty() || !arguments.operands.empty();
  if (selects) {
    auto options = options_of(arguments);
    if (!options) return fail(options.error(), Stage::input);
    if (arguments.only.empty()) options->selection.only = {"all"};
    const bool any_operands = arguments.operands.empty();
    const auto kept = instructions::keep_selected(*table, options->selection, any_operands);
    if (!kept) return fail(kept.error(), Stage::input);
    if (table->rows.empty()) {
      return fail({Errc::invalid_argument,
                   fmt::format("{} has no such row; without --only, --opt and --operands all that "
                               "it has are shown",
                               arguments.from)},
                  Stage::input);
    }
  }
  if (beside.executed) {
    const auto has = instructions::check_operands(*table, predicting(arguments));
    if (!has) return fail(has.error(), Stage::input);
  }
  return deliver_table(*table, beside, set_beside(*table, beside, arguments), arguments);
}

/// Those that --only names, and those that they run together with.
int list_instructions(const InstructionsArguments& arguments) {
  std::vector<std::string> names;
  if (!arguments.only.empty()) {
    const auto rows = instructions::select_rows({.only = arguments.only});
    if (!rows) return fail(rows.error(), Stage::input);
    for (const instructions::RowKey& key : *rows) names.push_back(key.instruction);
  }
  print_out(report::instruction_list_text(names));
  return kOk;
}

int measure_table(const InstructionsArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (arguments.list) return list_instructions(arguments);
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  const auto beside = read_beside(arguments);
  if (!beside) return fail(beside.error(), Stage::input);
  if (!arguments.from.empty()) {
    return show_table(arguments, *beside);
  }
  if (!arguments.meter.empty() && arguments.protocol != "all") {
    return fail({Errc::invalid_argument,
                 "--meter is what the readers of --protocol all are compared with; give both"},
                Stage::input);
  }
  auto options = options_of(arguments);
  if (!options) return fail(options.error(), Stage::input);
  if (const auto known = instructions::select_rows(options->selection); !known) {
    return fail(known.error(), Stage::input);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  std::unique_ptr<sensor::Meter> meter;
  if (!arguments.meter.empty()) {
    auto live = meter_for(*set, arguments.meter);
    if (!live) return fail(live.error(), Stage::device);
    meter = *std::move(live);
    options->meter = instructions::MeterBeside{meter.get()};
  }
  const capture::StopOnSignal stop;
  options->stop = stop.token();
  const auto table = instructions::measure_instructions(*set, env, *options);
  end_progress(common.quiet);
  if (!table) return fail(table.error());
  return deliver_table(*table, *beside, set_beside(*table, *beside, arguments), arguments);
}

/// Beside --list nothing says how to measure or what to write.
void list_alone(CLI::App& verb, CLI::Option& list) {
  for (const char* other : {"--json", "--report", "-x", "--budget", "--opt", "--operands",
                            "--compare", "--predict", "--verify", "--protocol", "--meter"}) {
    list.excludes(verb.get_option(other));
  }
  without_measuring(verb, list);
}

}  // namespace

Verb add_instructions(CLI::App& app) {
  auto arguments = std::make_shared<InstructionsArguments>();
  CLI::App* verb = app.add_subcommand(
      "instructions", "Energy per PTX instruction, checked in the machine code that ran");
  verb->footer(R"(Examples:
  truewatt instructions -d 0 --json h100.json       one of each kind, 10 minutes
  truewatt instructions -d 0 --only all --budget 1500
  truewatt instructions -d 0 --only fma.rn.f32 --only 'mma.*' --opt O3
  truewatt instructions --list                      what can be measured
  truewatt instructions -d sim:h100 --only arafa    without a GPU)");
  CLI::Option* list = verb->add_flag("--list", arguments->list, "List the instructions and end");
  CLI::Option* from = verb->add_option("--from", arguments->from,
                                       "Measure nothing: show the table that --json wrote to this "
                                       "file, or the rows of it that --only, --opt and --operands "
                                       "select")
                          ->excludes(list)
                          ->check(input_file())
                          ->type_name("FILE");
  verb->add_option(
          "--compare", arguments->compare,
          "Show ratios to another table, to arafa2020 (the four GPUs of its Table I), or to "
          "published: values of other projects, with what they are worth")
      ->check(table_to_compare())
      ->type_name("FILE");
  CLI::Option* predict =
      verb->add_option("--predict", arguments->predict,
                       "Energy of a kernel by the table: of a .cubin or .ptx file, of one thread "
                       "that executes each instruction once unless --counts says how often; or of "
                       "lines NAME,COUNT alone")
          ->check(input_file())
          ->type_name("FILE");
  verb->add_option("--counts", arguments->counts,
                   "Lines NAME,COUNT: how often all threads execute an opcode of --predict's "
                   "cubin, or an instruction of its PTX")
      ->needs(predict)
      ->check(input_file())
      ->type_name("FILE");
  verb->add_option("--kernel", arguments->kernel,
                   "Which kernel of --predict's file, where it has several")
      ->needs(predict)
      ->type_name("NAME");
  verb->add_flag("--verify", arguments->verify,
                 "Also play kernels of known counts after the table: pure FMA, which it must "
                 "predict to 5 %, and three mixed ones, to 10 %")
      ->excludes(from);
  verb->add_option("--only", arguments->only,
                   "An instruction, a group of --list, arafa (the rows of Arafa 2020), modern (the "
                   "others) or all; * stands for any characters (default: one of each kind). "
                   "Several with commas or by repeating it")
      ->delimiter(',')
      ->type_name("NAME");
  verb->add_option(
          "--opt", arguments->optimizations,
          "The compiler's optimization; both if not given. Several with commas or by repeating it")
      ->delimiter(',')
      ->check(one_of({"O3", "O0"}))
      ->type_name("O3|O0");
  verb->add_option(
          "--operands", arguments->operands,
          "What they hold: random (values in range), bits, constant or zeros; the first predicts. "
          "Several with commas or by repeating it")
      ->delimiter(',')
      ->check(one_of({"random", "bits", "constant", "zeros"}))
      ->type_name("NAME");
  verb->add_option(
          "--budget", arguments->budget_s,
          "Most seconds, 30 at least; it ends sooner when every row is known to 3 % or 0.2 pJ")
      ->excludes(from)
      ->check(from_to(30.0, 86400.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  verb->add_option("--protocol", arguments->protocol,
                   "truewatt\nall: also what the readers SMA, PAPI and MTSM of Arafa et al. (CF "
                   "2020) make of the same readings, and how far they are off\n"
                   "arafa: also their protocol, one thread and Eq. 1, for the rows of their Table "
                   "I\n")
      ->excludes(from)
      ->group(group::kExpert)
      ->check(one_of({"truewatt", "all", "arafa"}))
      ->capture_default_str()
      ->type_name("NAME");
  verb->add_option("--meter", arguments->meter,
                   "With --protocol all: an external meter is the readers' reference: serial line "
                   "of a PMD-USB, PMD2 or PMD2X; sim is that of a simulated device")
      ->excludes(from)
      ->group(group::kExpert)
      ->type_name("LINE");
  verb->add_option("-x", arguments->common.separator, "Print the result as CSV with this separator")
      ->check(separator())
      ->type_name("SEP")
      ->group(group::kOutput);
  add_seed(*verb, arguments->common)->envname("TRUEWATT_SEED");
  add_poll(*verb, arguments->common);
  add_common(*verb, arguments->common, {.knows = true, .report = true, .details = true});
  without_measuring(*verb, *from);
  list_alone(*verb, *list);
  return [arguments] { return measure_table(*arguments); };
}

}  // namespace truewatt::cli
