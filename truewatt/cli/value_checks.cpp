#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "truewatt/base/parse.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/store/nearest_name.hpp"

namespace truewatt::cli {

CLI::Validator existing_file() {
  return CLI::Validator(
      [](std::string& path) {
        std::error_code error;
        if (std::filesystem::is_directory(path, error)) {
          return path + ": that is a folder; name a file in it";
        }
        const bool good = std::filesystem::exists(path, error);
        return good ? std::string() : path + ": there is no such file; name one that exists";
      },
      "");
}

CLI::Validator from_to(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const auto number = parse_number(text);
        const bool good = number && *number >= least && *number <= most;
        return good ? std::string()
                    : fmt::format("{}: give a number from {:g} to {:g}", text, least, most);
      },
      "");
}

CLI::Validator whole_from_to(int least, int most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const auto number = parse_integer<int>(text);
        const bool good = number && *number >= least && *number <= most;
        return good ? std::string()
                    : fmt::format("{}: give a whole number from {} to {}", text, least, most);
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> names) {
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
        const auto near = store::close_name(text, names);
        return fmt::format("{}: unknown value; {}give one of {}", text,
                           near ? fmt::format("did you mean {}? Else ", *near) : std::string(),
                           fmt::join(names, ", "));
      },
      "");
}

CLI::Validator separator() {
  return CLI::Validator(
      [](std::string& text) {
        const bool good = !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                 std::string_view(".+-\"").find(c) != std::string_view::npos;
        });
        return good ? std::string()
                    : text + ": give what stands between columns and in no number, such as ;";
      },
      "");
}

}  // namespace truewatt::cli
