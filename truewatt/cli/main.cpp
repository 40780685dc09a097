#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/cli/config_file.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/output.hpp"
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

constexpr const char* kFooter = R"(
Try it without a GPU:    truewatt demo
Energy of a program:     truewatt run ./my_program --its --arguments
What is here:            truewatt devices; truewatt doctor

Exit codes: 0 good, 1 failed, 2 usage, 3 no device or permission, 4 measured but not valid.
`run` passes its command's own code on; 125, 126 and 127 are as in env(1).)";

/// Index of the verb, behind the options that stand before it; words.size(): none.
std::size_t verb_at(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--config") {
      ++i;
    } else if (!words[i].starts_with('-')) {
      return i;
    }
  }
  return words.size();
}

std::string verb_of(const std::vector<std::string>& words) {
  const std::size_t at = verb_at(words);
  return at < words.size() ? words[at] : std::string();
}

/// `validate [options]` is `validate workloads [options]`.
std::vector<std::string> with_study(std::vector<std::string> words) {
  const auto next = words.begin() + static_cast<std::ptrdiff_t>(verb_at(words)) + 1;
  const bool named = next != words.end() && (!next->starts_with('-') || *next == "-h" ||
                                             *next == "--help" || *next == "--version");
  if (!named) words.insert(next, "workloads");
  return words;
}

/// CLI11 would check the variables of verbs that nobody asked for.
void forget_variables(CLI::App& verb) {
  for (CLI::Option* option : verb.get_options([](const CLI::Option*) { return true; })) {
    option->envname("");
  }
  for (CLI::App* below : verb.get_subcommands({})) forget_variables(*below);
}

/// The first word that should be a verb, or what a verb takes, and is not, with what there is.
std::optional<std::string> wrong_word(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* part = &app;
  for (std::size_t at = verb_at(words); at < words.size() && !words[at].starts_with('-'); ++at) {
    const std::vector<const CLI::App*> parts =
        part->get_subcommands([](const auto*) { return true; });
    const auto named = std::find_if(parts.begin(), parts.end(), [&](const CLI::App* one) {
      return one->get_name() == words[at];
    });
    if (parts.empty()) return std::nullopt;
    if (named == parts.end()) {
      std::vector<std::string> names;
      for (const CLI::App* one : parts) names.push_back(one->get_name());
      return fmt::format("there is no {} `{}`; there are {} (see --help)",
                         part == &app ? "verb" : "study", words[at], fmt::join(names, ", "));
    }
    part = *named;
  }
  return std::nullopt;
}

int dispatch(const std::vector<std::string>& words) {
  const std::string chosen = verb_of(words);
  const bool is_run = chosen == "run";
  // What stands behind `--` is the command's, options and all.
  const bool takes_commands = is_run || chosen == "compare";
  const auto separator = takes_commands ? std::find(words.begin(), words.end(), "--") : words.end();
  const std::vector<std::string> command(separator == words.end() ? separator : separator + 1,
                                         words.end());
  std::vector<std::string> ours(words.begin(), separator);
  if (chosen == "validate") ours = with_study(std::move(ours));
  const std::vector<std::string> in_order = ours;
  std::reverse(ours.begin(), ours.end());  // as CLI11 wants a vector

  CLI::App app("Joules with an honest uncertainty from a GPU's built-in power sensor", "truewatt");
  app.set_version_flag("--version", std::string("truewatt ") + TRUEWATT_VERSION);
  app.set_config("--config", config_path(), "Defaults for options, TOML: [verb] option = value");
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
  verbs["analyze"] = add_analyze(app);
  verbs["calibrate"] = add_calibrate(app);
  verbs["validate"] = add_validate(app);
  verbs["report"] = add_report(app);
  verbs["catalogue"] = add_catalogue(app);
  for (CLI::App* verb : app.get_subcommands({})) {
    verb->set_version_flag("--version", std::string("truewatt ") + TRUEWATT_VERSION);
    if (verb->get_name() != chosen) forget_variables(*verb);
  }
  if (const auto wrong = wrong_word(app, in_order)) {
    complain({Errc::invalid_argument, *wrong});
    return kUsage;
  }
  try {
    app.parse(std::move(ours));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return is_run ? static_cast<int>(kRunFailed) : static_cast<int>(kUsage);
  }
  if (app.get_subcommands().empty()) {
    print_err(app.help());
    return kUsage;
  }
  const int code = verbs.at(app.get_subcommands().front()->get_name())();
  if (close_stdout() || code != kOk) return code;
  complain({Errc::io, "not everything could be written to stdout"});
  return is_run ? static_cast<int>(kRunFailed) : kOther;
}

}  // namespace
}  // namespace truewatt::cli

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    return truewatt::cli::dispatch(words);
  } catch (const std::exception& error) {
    truewatt::cli::print_err(std::string("truewatt: ") + error.what() + "\n");
    const bool is_run = truewatt::cli::verb_of(words) == "run";
    return is_run ? static_cast<int>(truewatt::cli::kRunFailed) : truewatt::cli::kOther;
  }
}
