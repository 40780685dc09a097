#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// How often instructions stand, or are executed.
using Counts = std::vector<std::pair<std::string, double>>;

/// A kernel of a file, and how often each instruction stands in it.
struct CountedKernel {
  std::string name;
  Counts instructions;  ///< in the order in which they first stand there
  int sm = 0;           ///< of machine code: 90 for sm_90 and sm_90a
};

/// The kernels (`.entry`) of a PTX text. Predicates, labels, directives and comments are no
/// instructions; code of other functions is in none of them. A kernel whose text ends early has
/// what is there. Pure.
std::vector<CountedKernel> kernels_of_ptx(std::string_view text);

}  // namespace truewatt::instructions
