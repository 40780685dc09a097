#pragma once

namespace truewatt::cli {

/// Sets the C library's allocator up for estimates, which free and need as much memory again and
/// again: a fifth of a long log's time went into giving it back and having it cleared. Call it
/// first of all. Of the whole process: allocator.cpp also replaces operator new.
void keep_freed_memory();

}  // namespace truewatt::cli
