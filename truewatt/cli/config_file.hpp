#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace truewatt::cli {

/// Reads config.toml for CLI11: `[verb]` sections of `option = value`. Hands on what the chosen
/// verb takes and neither a TRUEWATT_* variable (CLI11 lets a file beat it) nor an option of the
/// command line that does not go with it overrules. What is not TOML, a section that is no verb
/// and a key that is no option are errors that name file and key.
class ConfigFile : public CLI::Config {
 public:
  /// `app` is the application that reads its options with this; it outlives this.
  explicit ConfigFile(const CLI::App& app) : app_(app) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
  /// Configurations are not written.
  std::string to_config(const CLI::App* /*app*/, bool /*defaults*/, bool /*descriptions*/,
                        std::string /*prefix*/) const override {
    return {};
  }

 private:
  const CLI::App& app_;
};

/// Why a file that is there cannot hold defaults: it is no regular file (a pipe would be waited
/// for), or we are root and it is another user's, who would choose what root writes.
std::optional<std::string> why_no_configuration(const std::string& path);

}  // namespace truewatt::cli
