#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/instructions/ptx_text.hpp"

namespace truewatt::instructions {

/// What a kernel's file holds.
enum class KernelFileKind {
  machine_code,  ///< a cubin
  ptx,
  neither,  ///< lines of NAME,COUNT, for all that is known
};
KernelFileKind kind_of_kernel_file(std::string_view bytes);

/// A kernel of a cubin or of a PTX text: the one of this name, or the only one where `kernel` is
/// empty. `origin` is named in errors. Errors: parse where it is neither or is damaged;
/// invalid_argument where there is no such kernel or more than one, with their names.
Result<CountedKernel> kernel_of(std::string_view bytes, std::string_view kernel,
                                std::string_view origin);

/// How often the threads of a kernel execute what. `executed`: what was counted; each name must be
/// one that the kernel's code has, with more modifiers ("LDG.E.64") or as they are. Errors:
/// invalid_argument with the name that it has not.
struct KernelCounts {
  Counts counts;
  std::vector<std::string> uncounted;  ///< in the code, and without a count
};
Result<KernelCounts> match_counts(const CountedKernel& kernel, const Counts& executed);

}  // namespace truewatt::instructions
