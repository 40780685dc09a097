#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

/// How often threads execute what, and of which kernel.
struct KernelCounts {
  std::string kernel;       ///< empty: counts alone
  int sm = 0;               ///< of machine code: what it is for
  bool one_thread = false;  ///< each instruction of the code once, as one thread without loops
  Counts counts;
  std::vector<std::string> uncounted;  ///< in the kernel's code, and without a count
};

/// Each name of `executed` must be one that the kernel's code has, as it is or with more modifiers
/// ("LDG.E.64"). Errors: invalid_argument with the name that it has not.
Result<KernelCounts> match_counts(const CountedKernel& kernel, const Counts& executed);

/// The kernel of a cubin or PTX file, executed as often as the lines of `counts` say, or by one
/// thread where that is empty; or a file of such lines alone. Errors: those of the files, and as
/// kernel_of() and match_counts().
Result<KernelCounts> read_kernel_counts(const std::filesystem::path& file,
                                        const std::filesystem::path& counts,
                                        std::string_view kernel);

}  // namespace truewatt::instructions
