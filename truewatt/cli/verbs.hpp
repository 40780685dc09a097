#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace truewatt::cli {

/// A verb adds itself to the application and returns what to do when it was chosen: the exit code.
using Verb = std::function<int()>;

Verb add_demo(CLI::App& app);
Verb add_devices(CLI::App& app);
Verb add_doctor(CLI::App& app);
/// `command` is what stood behind `--`; empty: it follows the options without one.
Verb add_run(CLI::App& app, std::vector<std::string> command);
/// `commands` is what stood behind `--`: one, --vs, another.
Verb add_compare(CLI::App& app, std::vector<std::string> commands);
Verb add_characterize(CLI::App& app);
Verb add_instructions(CLI::App& app);
Verb add_memory(CLI::App& app);
Verb add_measure(CLI::App& app);
Verb add_analyze(CLI::App& app);
Verb add_report(CLI::App& app);
Verb add_catalogue(CLI::App& app);
Verb add_calibrate(CLI::App& app);
Verb add_validate(CLI::App& app);

}  // namespace truewatt::cli
