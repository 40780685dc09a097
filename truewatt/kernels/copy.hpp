#pragma once

#include <memory>
#include <string_view>

#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

/// Name of the kernel in its PTX.
inline constexpr std::string_view kCopyEntry = "truewatt_copy";
/// Bytes that it copies before it begins again, from the array's first half to its second: more
/// than the L2 cache of any GPU.
inline constexpr std::size_t kCopiedBytes = std::size_t{128} << 20U;
/// 16 bytes each, of a thread in a pass.
inline constexpr unsigned kCopiesPerPass = 4;

/// Copies random bytes from device memory to device memory, all threads side by side, as `memcpy`
/// on a GPU does: what moves is all it does. Each thread's last 16 bytes are read back and checked.
std::shared_ptr<const Kernel> copy();

}  // namespace truewatt::kernels
