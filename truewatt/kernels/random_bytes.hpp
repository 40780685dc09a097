#pragma once

#include <cstddef>
#include <span>

namespace truewatt::kernels {

/// The same random bits each time, eight bytes at a time; a rest shorter than that is left alone.
void fill_randomly(std::span<std::byte> bytes);

}  // namespace truewatt::kernels
