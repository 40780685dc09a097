#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/base/parse.hpp"
#include "truewatt/cli/options.hpp"

namespace truewatt::cli {

namespace {

/// What is wrong with an input file, and what to do; "" for a good one.
std::string why_not_read(const std::string& path, const InputFile& is) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return is.may_be_folder ? "" : "that is a folder; name a file in it";
  }
  if (!std::filesystem::exists(path, error)) return "there is no such file; name one that exists";
  if (::access(path.c_str(), R_OK) != 0) {
    return "the file may not be read; allow it (chmod u+r), or name another";
  }
  const bool is_empty =
      std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0;
  return is_empty ? "the file is empty; " + std::string(is.if_empty) : "";
}

}  // namespace

CLI::Validator input_file(const InputFile& is) {
  return CLI::Validator(
      [is](std::string& path) {
        const std::string wrong = why_not_read(path, is);
        return wrong.empty() ? wrong : path + ": " + wrong;
      },
      "");
}

CLI::Validator from_to(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const auto number = parse_number(text);
        const bool good = number && *number >= least && *number <= most;
        return good ? std::string()
                    : fmt::format("{}: give a number from {:g} to {:g}, without a unit", text,
                                  least, most);
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

CLI::Validator amount() {
  return CLI::Validator(
      [](std::string& text) {
        const auto number = parse_number(text);
        return number && *number > 0 ? std::string()
                                     : text + ": give a number above 0, such as 1e6";
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> names) {
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
        const auto near = close_name(text, names);
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
