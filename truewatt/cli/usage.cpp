#include "truewatt/cli/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::cli {
namespace {

/// `validate [options]` is `validate workloads [options]`.
Words with_study(Words words) {
  const auto next = words.begin() + static_cast<std::ptrdiff_t>(verb_at(words)) + 1;
  const bool named = next != words.end() && (!next->starts_with('-') || *next == "-h" ||
                                             *next == "--help" || *next == "--version");
  if (!named) words.insert(next, "workloads");
  return words;
}

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
  return app.get_subcommands([](const auto*) { return true; });
}

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// A path of a program, or its name where $PATH finds it.
bool names_program(const std::string& word) {
  if (word.find('/') != std::string::npos) return true;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(std::filesystem::path(folder) / word)) return true;
  }
  return false;
}

/// The verb that the words chose, or the whole program.
const CLI::App& chosen(const CLI::App& app) {
  const CLI::App* part = &app;
  for (auto below = part->get_subcommands(); !below.empty(); below = part->get_subcommands()) {
    part = below.front();
  }
  return *part;
}

std::string path_of(const CLI::App& part) {
  const CLI::App* parent = part.get_parent();
  return parent == nullptr ? part.get_name() : path_of(*parent) + " " + part.get_name();
}

/// As the subject of a sentence: `measure`, `validate workloads`.
std::string subject_of(const CLI::App& part) {
  const CLI::App* parent = part.get_parent();
  if (parent == nullptr || parent->get_parent() == nullptr) return part.get_name();
  return subject_of(*parent) + " " + part.get_name();
}

std::string see_help(const CLI::App& part) { return fmt::format("see {} --help", path_of(part)); }

std::string label_of(const CLI::Option& option) {
  return option.nonpositional() ? option.get_name(false) : option.get_type_name();
}

using Options = std::vector<const CLI::Option*>;

Options options_of(const CLI::App& part) {
  return part.get_options([](const CLI::Option*) { return true; });
}

/// The option that the parser's message is about: the one with the longest name in it.
const CLI::Option* option_in(const CLI::App& part, const std::string& message) {
  const CLI::Option* found = nullptr;
  std::size_t longest = 0;
  for (const CLI::Option* one : options_of(part)) {
    const std::string name = one->get_name();
    if (name.size() <= longest || message.find(name) == std::string::npos) continue;
    found = one;
    longest = name.size();
  }
  return found;
}

/// What to do with a word that stands where a verb takes none.
std::string where_it_goes(const CLI::App& part, const std::string& word) {
  const auto has = [&part](const char* option) {
    return part.get_option_no_throw(option) != nullptr;
  };
  if (word.starts_with("sim:") && has("--device")) return "name a device with -d " + word;
  if (const auto load = load::load_meant(word); load && has("--load")) {
    const std::size_t colon = word.find(':');
    return "name a load with --load " + *load +
           (colon == std::string::npos ? std::string() : word.substr(colon));
  }
  if (word.find('=') != std::string::npos && has("--load")) {
    return "a load is one word, without blanks: --load step:on=3s,level=0.5";
  }
  if (part.get_name() == "measure" && names_program(word)) {
    return "to measure this program: truewatt run " + word;
  }
  return see_help(part);
}

/// What the parser could not place: an unknown option is the cause of what it says besides.
std::optional<std::string> unplaced(const CLI::App& part) {
  const Words rest = part.remaining();
  if (rest.empty()) return std::nullopt;
  // What begins with a word is a command, and may have any options.
  if (part.get_prefix_command() && !rest.front().starts_with('-')) return std::nullopt;
  const auto option = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
    return word.size() > 1 && word.starts_with('-');
  });
  if (option != rest.end()) return unknown_option(part, *option);
  const std::string& word = rest.front();
  return fmt::format("{} takes no `{}`; {}", subject_of(part), word, where_it_goes(part, word));
}

std::string required_text(const CLI::App& part) {
  for (const CLI::Option* one : options_of(part)) {
    if (!one->get_required() || one->count() > 0) continue;
    return fmt::format("{} needs {}; {}", subject_of(part), label_of(*one), see_help(part));
  }
  return fmt::format("{} needs more; {}", subject_of(part), see_help(part));
}

/// Of a message `A requires B`: `A also needs B` with our names of the two.
std::string pair_text(const CLI::App& part, std::string_view message, std::string_view theirs,
                      std::string_view ours) {
  const auto at = message.find(theirs);
  if (at != std::string_view::npos) {
    Words names(2);
    for (const CLI::Option* one : options_of(part)) {
      if (one->get_name() == message.substr(0, at)) names[0] = label_of(*one);
      if (one->get_name() == message.substr(at + theirs.size())) names[1] = label_of(*one);
    }
    if (!names[0].empty() && !names[1].empty()) {
      return fmt::format("{} {} {}; {}", names[0], ours, names[1], see_help(part));
    }
  }
  return "these options do not go together; " + see_help(part);
}

/// Whether the command line has this option. Letters may stand together (`-qd 0`), and a value
/// may follow its letter at once: one that is the option's own letter is taken for it.
bool is_on_command_line(const CLI::Option& option, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&option](const std::string& word) {
    if (word.starts_with("--")) return option.check_name(word.substr(0, word.find('=')));
    if (!word.starts_with('-')) return false;
    return std::any_of(word.begin() + 1, word.end(), [&option](char letter) {
      return option.check_sname(std::string(1, letter));
    });
  });
}

/// Where an option has a value from that the command line did not give: a TRUEWATT_* variable or
/// the configuration's file. Both texts are empty where the command line did.
struct Origin {
  std::string value_of;  ///< what stands before the value
  std::string or_else;   ///< what to do besides giving another
};

Origin origin_of(const CLI::App& part, const CLI::Option& option, const Words& words) {
  if (!option.nonpositional() || is_on_command_line(option, words)) return {};
  const std::string variable = option.get_envname();
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  if (value != nullptr && *value != '\0') return {variable + "=", ", or unset the variable"};
  const CLI::App* app = part.get_parent();
  const CLI::Option* config = app == nullptr ? nullptr : app->get_config_ptr();
  if (config == nullptr) return {};
  return {fmt::format("{}: [{}] {} = ", config->as<std::string>(), part.get_name(),
                      option.get_single_name()),
          ""};
}

/// Of our own checks, `NAME: VALUE: what to do`: the option and its value are one.
std::string checked_text(const CLI::App& part, const std::string& message, const Words& words) {
  const CLI::Option* option = option_in(part, message);
  if (option == nullptr || option->results().empty()) return message;
  for (const std::string& value : option->results()) {
    const std::string head = option->get_name() + ": " + value + ": ";
    if (!message.starts_with(head)) continue;
    const std::string what = message.substr(head.size());
    if (const Origin origin = origin_of(part, *option, words); !origin.value_of.empty()) {
      return fmt::format("{}{}: {}{}", origin.value_of, value, what, origin.or_else);
    }
    const bool names_itself = !option->nonpositional() && !value.empty();
    return fmt::format("{}{}: {}", names_itself ? "" : label_of(*option) + " ", value, what);
  }
  return message;
}

std::string value_text(const CLI::App& part, const CLI::Option& option, const Words& words) {
  const auto& given = option.results();
  const std::string name = label_of(option);
  const std::string type = option.get_type_name();
  if (given.empty()) return fmt::format("{} needs a value, {}", name, type);
  if (given.size() > 1)
    return fmt::format("{} is given {} times; give it once", name, given.size());
  const Origin origin = origin_of(part, option, words);
  const std::string value_of = origin.value_of.empty() ? name + " " : origin.value_of;
  return fmt::format("{}{}: {}{}", value_of, given.front(),
                     type.empty() ? "give true or false" : "not a valid " + type, origin.or_else);
}

}  // namespace

std::size_t verb_at(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--config") {
      ++i;
    } else if (!words[i].starts_with('-')) {
      return i;
    }
  }
  return words.size();
}

std::string verb_of(const Words& words) {
  const std::size_t at = verb_at(words);
  return at < words.size() ? words[at] : std::string();
}

Words in_full(Words words) {
  const auto verb = words.begin() + static_cast<std::ptrdiff_t>(verb_at(words));
  if (verb == words.end()) return words;
  if (*verb == "help") {
    auto named = words.erase(verb);
    if (named != words.end() && *named == "help") named = words.erase(named);
    // What stands behind these is a command, which help does not run.
    const bool takes_command = named != words.end() && (*named == "run" || *named == "compare");
    if (takes_command) words.erase(named + 1, words.end());
    words.emplace_back("--help");
  } else if (*verb == "version") {
    *verb = "--version";
  } else if (*verb == "validate") {
    return with_study(std::move(words));
  }
  return words;
}

std::optional<std::string> wrong_word(const CLI::App& app, const Words& words) {
  const CLI::App* part = &app;
  for (std::size_t at = verb_at(words); at < words.size() && !words[at].starts_with('-'); ++at) {
    const std::vector<const CLI::App*> parts = parts_of(*part);
    if (parts.empty()) return std::nullopt;
    const auto named = std::find_if(parts.begin(), parts.end(), [&](const CLI::App* one) {
      return one->get_name() == words[at];
    });
    if (named != parts.end()) {
      part = *named;
      continue;
    }
    Words names;
    for (const CLI::App* one : parts) names.push_back(one->get_name());
    const bool is_verb = part == &app;
    const Words there_are = names;
    if (is_verb) names.insert(names.end(), {"help", "version"});
    const std::string none =
        fmt::format("there is no {} `{}`; ", is_verb ? "verb" : "study", words[at]);
    if (const auto near = close_name(words[at], names)) {
      return none + fmt::format("did you mean `{} {}`?", path_of(*part), *near);
    }
    // `truewatt -d sim:h100 measure`: the verb comes first.
    const auto later = std::find_first_of(words.begin() + static_cast<std::ptrdiff_t>(at),
                                          words.end(), names.begin(), names.end());
    if (is_verb && later != words.end() && at > 0) {
      return fmt::format("the verb comes first: truewatt {} {} ...", *later,
                         fmt::join(words.begin(), later, " "));
    }
    if (is_verb && words[at].starts_with("sim:")) {
      return fmt::format(
          "{0} is a device, and a verb comes first: truewatt measure -d {0} "
          "--load step:on=2s; truewatt doctor -d {0}",
          words[at]);
    }
    if (is_verb && names_program(words[at])) {
      const Words command(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
      return none +
             fmt::format("to measure this program: truewatt run {}", fmt::join(command, " "));
    }
    return none +
           fmt::format("there are {} (see {} --help)", fmt::join(there_are, ", "), path_of(*part));
  }
  return std::nullopt;
}

std::string unknown_option(const CLI::App& part, const std::string& word) {
  const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word;
  const CLI::App* whole = part.get_parent();
  if (whole != nullptr && whole->get_option_no_throw(name) != nullptr) {
    return fmt::format("{} stands before the verb: truewatt {} ... {} ...", name, name,
                       subject_of(part));
  }
  Words names;
  for (const CLI::Option* one : options_of(part)) {
    for (const std::string& known : one->get_lnames()) names.push_back("--" + known);
  }
  const auto near = close_name(name, names);
  return fmt::format("{} has no option {}; {}", subject_of(part), name,
                     near ? fmt::format("did you mean {}?", *near) : see_help(part));
}

std::optional<std::string> written_over(const CLI::App& verb) {
  static const Words kOutputs = {"--json", "--report", "--out", "--write-profile"};
  const auto is_output = [](const CLI::Option& option) {
    return std::any_of(kOutputs.begin(), kOutputs.end(),
                       [&](const std::string& name) { return option.check_name(name); });
  };
  std::error_code none;
  const Options all = options_of(verb);
  for (const CLI::Option* output : all) {
    if (!is_output(*output)) continue;
    for (const CLI::Option* input : all) {
      if (is_output(*input)) continue;
      for (const std::string& path : output->results()) {
        if (!std::filesystem::is_regular_file(path, none)) continue;
        for (const std::string& read : input->results()) {
          if (!std::filesystem::equivalent(path, read, none)) continue;
          return fmt::format("{} {}: {} reads this file; name another one for what it writes",
                             label_of(*output), path, verb.get_name());
        }
      }
    }
  }
  return std::nullopt;
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
  const CLI::App& part = chosen(app);
  if (const auto rest = unplaced(part)) return *rest;
  if (const auto rest = unplaced(app)) return *rest;
  const std::string message = error.what();
  const std::string kind = error.get_name();
  if (kind == "ConfigError") return message;  // config_file.cpp's
  if (kind == "ValidationError") return checked_text(part, message, words);
  if (kind == "RequiredError") return required_text(part);
  if (kind == "ExcludesError") return pair_text(part, message, " excludes ", "does not go with");
  if (kind == "RequiresError") return pair_text(part, message, " requires ", "also needs");
  if (kind == "FileError") {
    const CLI::Option* config = app.get_config_ptr();
    const bool has_value = config != nullptr && !config->results().empty();
    return fmt::format("--config{}: there is no such file, or it cannot be read; name another",
                       has_value ? " " + config->results().front() : "");
  }
  const CLI::Option* option = option_in(part, message);
  if (option == nullptr) option = option_in(app, message);
  if (option != nullptr) return value_text(part, *option, words);
  return "these options are not understood; " + see_help(part);
}

}  // namespace truewatt::cli
