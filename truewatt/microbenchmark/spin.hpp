#pragma once

#include <memory>

#include "truewatt/kernels/kernel.hpp"

namespace truewatt::microbenchmark {

/// The baseline with every multiprocessor busy and hardly a bit switching.
std::shared_ptr<const kernels::Kernel> make_spin();

}  // namespace truewatt::microbenchmark
