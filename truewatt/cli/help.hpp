#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace truewatt::cli {

/// Headings of a verb's options, in the order of its help; what is in none of them comes first.
namespace group {
inline constexpr const char* kDevice = "Device";
inline constexpr const char* kOutput = "Output";
inline constexpr const char* kPrecision = "Precision";
inline constexpr const char* kExpert = "Expert";
}  // namespace group

/// The text of --help: what it does, usage, examples (the footer), options by their groups; at most
/// 80 columns.
class Help : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace truewatt::cli
