#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace truewatt::cli {

using Words = std::vector<std::string>;

/// Index of the verb, after the options that stand before it; words.size(): none.
std::size_t verb_at(const Words& words);
std::string verb_of(const Words& words);

/// The words with what is another spelling of options as those: `help VERB` is `VERB --help`,
/// `version` and `-V` are `--version`, `validate` is `validate workloads`.
Words in_full(Words words);

/// The first word that should be a verb, or what a verb takes, and is not: the nearest one, or how
/// to measure it where it is a program, or all there are.
std::optional<std::string> wrong_word(const CLI::App& app, const Words& words);

/// `run has no option --jsno; did you mean --json?`
std::string unknown_option(const CLI::App& part, const std::string& word);

/// Why a parsed verb would write over a file that it reads; nothing where it does not.
std::optional<std::string> written_over(const CLI::App& verb);

/// What is wrong with the options, in our words whatever the parser's: option (or the TRUEWATT_*
/// variable that gave its value), value, what to do. `words` are those of the command line.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const Words& words);

}  // namespace truewatt::cli
