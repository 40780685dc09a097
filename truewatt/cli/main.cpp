#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "truewatt/capture/within.hpp"
#include "truewatt/cli/allocator.hpp"
#include "truewatt/cli/config_file.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/output.hpp"
#include "truewatt/cli/usage.hpp"
#include "truewatt/cli/verbs.hpp"

namespace truewatt::cli {
namespace {

/// $XDG_CONFIG_HOME/truewatt/config.toml, or ~/.config/truewatt/config.toml.
std::string config_path() {
  if (const char* base = std::getenv("XDG_CONFIG_HOME"); base && *base != '\0') {
    return std::string(base) + "/truewatt/config.toml";
  }
  const char* home = std::getenv("HOME");
  return home ? std::string(home) + "/.config/truewatt/config.toml" : std::string();
}

constexpr const char* kFooter = R"(Examples:
  truewatt demo                     try it without a GPU
  truewatt devices                  the GPUs of this machine and their sensors
  truewatt run ./my_program         the energy of a program
  truewatt help run                 the options of a verb

Exit codes: 0 good, 1 failed, 2 usage, 3 no device or permission, 4 no number
for what was asked. `run` ends with its command's code; 125 to 127 as in env(1).)";

/// CLI11 would check the variables of verbs that nobody asked for.
void forget_variables(CLI::App& verb) {
  for (CLI::Option* option : verb.get_options([](const CLI::Option*) { return true; })) {
    option->envname("");
  }
  for (CLI::App* below : verb.get_subcommands({})) forget_variables(*below);
}

int dispatch(const Words& given) {
  const Words words = in_full(given);
  const std::string chosen = verb_of(words);
  const bool is_run = chosen == "run";
  // What stands behind `--` is the command's, options and all.
  const bool takes_commands = is_run || chosen == "compare";
  const auto separator = takes_commands ? std::find(words.begin(), words.end(), "--") : words.end();
  const std::vector<std::string> command(separator == words.end() ? separator : separator + 1,
                                         words.end());
  const Words in_order(words.begin(), separator);
  Words ours(in_order.rbegin(), in_order.rend());  // as CLI11 wants a vector

  std::string config = config_path();
  if (const auto wrong = why_no_configuration(config)) {
    print_err(safe("note: not used: " + *wrong + "\n"));
    config.clear();
  }
  CLI::App app("Joules with an honest uncertainty from a GPU's built-in power sensor", "truewatt");
  app.formatter(std::make_shared<Help>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("-V,--version", std::string("truewatt ") + TRUEWATT_VERSION,
                       "Print the version and exit");
  app.set_config("--config", config,
                 "Defaults for options, TOML: [verb] option = value (default "
                 "~/.config/truewatt/config.toml)")
      ->type_name("FILE")
      ->check([](const std::string& path) { return why_no_configuration(path).value_or(""); });
  app.config_formatter(std::make_shared<ConfigFile>(app));
  app.require_subcommand(0, 1);
  app.footer(kFooter);
  std::map<std::string, Verb> verbs;
  verbs["demo"] = add_demo(app);
  verbs["devices"] = add_devices(app);
  verbs["doctor"] = add_doctor(app);
  verbs["run"] = add_run(app, command);
  verbs["characterize"] = add_characterize(app);
  verbs["measure"] = add_measure(app);
  verbs["compare"] = add_compare(app, command);
  verbs["instructions"] = add_instructions(app);
  verbs["memory"] = add_memory(app);
  verbs["analyze"] = add_analyze(app);
  verbs["calibrate"] = add_calibrate(app);
  verbs["validate"] = add_validate(app);
  verbs["report"] = add_report(app);
  verbs["catalogue"] = add_catalogue(app);
  for (CLI::App* verb : app.get_subcommands({})) {
    verb->set_version_flag("--version", std::string("truewatt ") + TRUEWATT_VERSION)->group("");
    verb->get_help_ptr()->group(group::kOutput);
    for (CLI::App* study : verb->get_subcommands({})) {
      study->get_help_ptr()->group(group::kOutput);
    }
    if (verb->get_name() != chosen) forget_variables(*verb);
  }
  if (const auto wrong = wrong_word(app, in_order)) {
    complain({Errc::invalid_argument, *wrong});
    return kUsage;
  }
  try {
    app.parse(std::move(ours));
  } catch (const CLI::Success& success) {
    const int code = app.exit(success);
    if (close_stdout()) return code;
    complain({Errc::io, "not everything could be written to stdout"});
    return kOther;
  } catch (const CLI::ParseError& error) {
    complain({Errc::invalid_argument, usage_error(app, error, in_order)});
    return is_run ? static_cast<int>(kRunFailed) : static_cast<int>(kUsage);
  }
  if (app.get_subcommands().empty()) {
    print_err(app.help());
    return kUsage;
  }
  for (const CLI::App* part = app.get_subcommands().front(); part != nullptr;
       part = part->get_subcommands().empty() ? nullptr : part->get_subcommands().front()) {
    if (const auto wrong = written_over(*part)) {
      complain({Errc::invalid_argument, *wrong});
      return is_run ? static_cast<int>(kRunFailed) : static_cast<int>(kUsage);
    }
  }
  const int code = verbs.at(app.get_subcommands().front()->get_name())();
  if (close_stdout() || code != kOk) return code;
  complain({Errc::io, "not everything could be written to stdout"});
  return is_run ? static_cast<int>(kRunFailed) : kOther;
}

int guarded(const Words& words) {
  try {
    return dispatch(words);
  } catch (const std::exception& error) {
    complain(error_of(error));
    return verb_of(words) == "run" ? static_cast<int>(kRunFailed) : kOther;
  }
}

/// A file that has grown to its limit (ulimit -f) is an error like a full disk, no death. A handler
/// rather than SIG_IGN: commands start with the disposition that we were started with.
void survive_limits() {
  const auto before = std::signal(SIGXFSZ, [](int) {});
  if (before == SIG_IGN) std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace
}  // namespace truewatt::cli

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  truewatt::cli::keep_freed_memory();
  truewatt::cli::survive_limits();
  const int code = truewatt::cli::guarded(words);
  if (truewatt::capture::threads_left_behind() > 0) truewatt::cli::leave(code);
  return code;
}
