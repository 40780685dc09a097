#pragma once

#include <filesystem>
#include <string>

#include "truewatt/base/result.hpp"

namespace truewatt::store {

/// Where an output named `path` is written: the file behind a symbolic link, not the link. Errors:
/// permission, where the way there leads through a link that another user put into a folder that
/// all may write, such as /tmp: whose file it leads to is that user's choice (the rule of Linux's
/// fs.protected_symlinks, also where that is off).
Result<std::filesystem::path> place_of_output(const std::filesystem::path& path);

/// Gives an open new file the mode of the file that it replaces, and its owner and group as far as
/// this process may; nothing where there is none.
void take_rights_of(const std::filesystem::path& replaced, int new_file);

/// ", which another user owns", ", which all may write", or nothing: for a message that names a
/// file whose numbers are used.
std::string whose(const std::filesystem::path& path);

/// Whether there is anything by this name, a link that leads nowhere included.
bool is_taken(const std::filesystem::path& path);

}  // namespace truewatt::store
