#include "truewatt/cli/help.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <vector>

#include "truewatt/report/page/layout.hpp"

namespace truewatt::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNames = 24;  // columns of what stands before a description
constexpr const char* kOwn = "Options";

/// `names  description`, wrapped; a line break in the description stays.
std::string entry(const std::string& names, const std::string& description) {
  std::string text;
  std::string head = fmt::format("  {:<{}}", names, kNames - 2);
  if (names.size() + 3 > kNames) {
    text = "  " + names + "\n";
    head = std::string(kNames, ' ');
  }
  std::istringstream lines(description);
  for (std::string line; std::getline(lines, line);) {
    text += report::hanging(head, line, kWidth);
    head = std::string(kNames, ' ');
  }
  return text;
}

std::string paragraph(const std::string& text) {
  std::string wrapped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    wrapped += report::hanging("", line, kWidth);
  }
  return wrapped;
}

std::string names_of(const CLI::Option& option) {
  std::string names = option.get_name(false, true);
  if (const auto comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
  const bool takes_value = option.get_items_expected_max() > 0 && !option.get_type_name().empty();
  return takes_value ? names + " " + option.get_type_name() : names;
}

std::string description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  // The whole path of the user's own file is long; its description names it.
  if (!option.get_default_str().empty() && option.get_name() != "--config") {
    text += fmt::format(" (default {})", option.get_default_str());
  }
  if (!option.get_envname().empty()) text += fmt::format(" [{}]", option.get_envname());
  return text;
}

std::string positional_of(const CLI::Option& option) {
  std::string name = option.get_type_name();
  if (name.empty() || name == "TEXT") name = option.get_name(true);
  if (option.get_items_expected_max() > 1) name += "...";
  return option.get_required() ? name : "[" + name + "]";
}

using Options = std::vector<const CLI::Option*>;

Options positionals(const CLI::App& app) {
  return app.get_options([](const CLI::Option* one) { return one->get_positional(); });
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string text = "Usage: " + name + " [options]";
  for (const CLI::Option* one : positionals(app)) text += " " + positional_of(*one);
  if (app.get_prefix_command()) text += " [--] CMD ARGS";
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  if (!below.empty()) text += app.get_parent() == nullptr ? " VERB" : " STUDY";
  return paragraph(text);
}

std::string below_text(const CLI::App& app) {
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  if (below.empty()) return "";
  std::string text = app.get_parent() == nullptr ? "\nVerbs:\n" : "\nStudies:\n";
  for (const CLI::App* one : below) text += entry(one->get_name(), one->get_description());
  return text;
}

std::string group_text(const CLI::App& app, const std::string& group) {
  std::string text;
  for (const CLI::Option* one : app.get_options([&](const CLI::Option* option) {
         return option->nonpositional() && option->get_group() == group;
       })) {
    text += entry(names_of(*one), description_of(*one));
  }
  return text.empty() ? "" : "\n" + group + ":\n" + text;
}

std::string positional_text(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* one : positionals(app)) {
    text += entry(positional_of(*one), description_of(*one));
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string Help::make_help(const CLI::App* app, std::string name,
                            CLI::AppFormatMode /*mode*/) const {
  std::string text = paragraph(app->get_description()) + "\n" + usage(*app, name);
  if (!app->get_footer().empty()) text += "\n" + app->get_footer() + "\n";
  text += positional_text(*app) + below_text(*app);
  for (const char* group :
       {kOwn, group::kDevice, group::kOutput, group::kPrecision, group::kExpert}) {
    text += group_text(*app, group);
  }
  return text;
}

}  // namespace truewatt::cli
