#include "truewatt/cli/config_file.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/cli/usage.hpp"
#include "truewatt/store/toml_guard.hpp"

namespace truewatt::cli {
namespace {

/// A value as the command line would spell it; nothing for tables and dates.
std::optional<std::string> spelled(const toml::node& node) {
  if (const auto* text = node.as_string()) return store::shift_back(text->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return std::nullopt;
}

/// The values of a key: one, or those of an array.
std::optional<std::vector<std::string>> inputs_of(const toml::node& node) {
  std::vector<std::string> inputs;
  const auto add = [&inputs](const toml::node& value) {
    auto text = spelled(value);
    if (text) inputs.push_back(std::move(*text));
    return text.has_value();
  };
  const auto* array = node.as_array();
  if (array == nullptr) return add(node) ? std::optional(inputs) : std::nullopt;
  for (const toml::node& element : *array) {
    if (!add(element)) return std::nullopt;
  }
  return inputs;
}

std::string suggestion(const std::string& name, const Words& known) {
  const auto near = close_name(name, known);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

const CLI::Option* find_option(const CLI::App& verb, const std::string& key) {
  return verb.get_option_no_throw((key.size() == 1 ? "-" : "--") + key);
}

/// By a variable, or by an option of the command line that does not go with it.
bool is_overruled(const CLI::Option& option) {
  const auto excluded = option.get_excludes();
  if (std::any_of(excluded.begin(), excluded.end(),
                  [](const CLI::Option* other) { return other->count() > 0; })) {
    return true;
  }
  if (option.get_envname().empty()) return false;
  const char* variable = std::getenv(option.get_envname().c_str());
  return variable != nullptr && *variable != '\0';
}

/// One file being read.
class Reading {
 public:
  Reading(const CLI::App& app, std::string path) : app_(app), path_(std::move(path)) {}

  toml::table parse(const std::string& text) const {
    if (const auto line = store::find_deep_key(text)) fail(*line, "a key has too many parts");
    auto parsed = toml::parse(store::shift_beyond_ascii(text), path_);
    if (!parsed) {
      const int line = static_cast<int>(parsed.error().source().begin.line);
      fail(line, store::not_toml(text, line));
    }
    return std::move(parsed).table();
  }

  std::vector<CLI::ConfigItem> items(const toml::table& document) const {
    std::vector<CLI::ConfigItem> items;
    for (const auto& [name, node] : document) {
      const std::string section = store::shift_back(name.str());
      const auto* options = node.as_table();
      if (options == nullptr) {
        fail(line_of(node), fmt::format("{}: options stand in the section of a verb, as in "
                                        "[measure]",
                                        section));
      }
      const CLI::App* verb = find_verb(app_, section);
      if (verb == nullptr) {
        Words names;
        for (const CLI::App* one : app_.get_subcommands([](const CLI::App*) { return true; })) {
          names.push_back(one->get_name());
        }
        fail(line_of(node), fmt::format("[{}] is not a verb, as sections are, such as [measure]{}",
                                        section, suggestion(section, names)));
      }
      for (const auto& [key, value] : *options) {
        add(items, *verb, store::shift_back(key.str()), value);
      }
    }
    return items;
  }

 private:
  void add(std::vector<CLI::ConfigItem>& items, const CLI::App& verb, const std::string& key,
           const toml::node& value) const {
    const CLI::Option* option = find_option(verb, key);
    if (option == nullptr) {
      Words names;
      for (const CLI::Option* one : verb.get_options([](const CLI::Option*) { return true; })) {
        for (const std::string& known : one->get_lnames()) names.push_back(known);
      }
      fail(line_of(value),
           fmt::format("[{}] has no option {}{}", verb.get_name(), key, suggestion(key, names)));
    }
    const auto inputs = inputs_of(value);
    if (!inputs) fail(line_of(value), fmt::format("{} is not a text, number or flag", key));
    if (verb.parsed() && !is_overruled(*option)) items.push_back({{verb.get_name()}, key, *inputs});
  }

  static int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw CLI::ConfigError(fmt::format("{}:{}: {}", path_, line, what));
  }

  const CLI::App& app_;
  std::string path_;
};

}  // namespace

std::optional<std::string> why_no_configuration(const std::string& path) {
  struct stat file {};
  if (path.empty() || ::stat(path.c_str(), &file) != 0) return std::nullopt;
  if (!S_ISREG(file.st_mode) && path != "/dev/null") {
    return fmt::format(
        "{} is not a regular file and cannot hold defaults; name another with "
        "--config",
        path);
  }
  if (::geteuid() == 0 && file.st_uid != 0) {
    return fmt::format(
        "{} belongs to another user, who would choose what root writes; name a file "
        "of root's with --config",
        path);
  }
  return std::nullopt;
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& input) const {
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  const Reading reading(app_, app_.get_config_ptr()->as<std::string>());
  return reading.items(reading.parse(text));
}

}  // namespace truewatt::cli
