#pragma once

#include <memory>

#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

/// Nanoseconds that a thread of make_sleeping() asks to sleep in each iteration.
inline constexpr unsigned kSleepNanoseconds = 100'000;

/// A kernel that occupies multiprocessors and does next to nothing: one block of one warp on each,
/// whose threads sleep (`nanosleep`) and count how often. What it draws above idle with a context
/// is what being resident costs. Needs compute capability 7.0; errors: unsupported below.
std::shared_ptr<const Kernel> make_sleeping();

}  // namespace truewatt::kernels
