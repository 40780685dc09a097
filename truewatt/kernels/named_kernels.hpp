#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

/// A kernel that a load's text may name, beside the FMA chain.
struct NamedKernel {
  std::string_view name;
  std::shared_ptr<const Kernel> (*make)();
};
std::span<const NamedKernel> named_kernels();

}  // namespace truewatt::kernels
