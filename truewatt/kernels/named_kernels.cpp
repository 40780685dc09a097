#include "truewatt/kernels/named_kernels.hpp"

#include "truewatt/kernels/copy.hpp"

namespace truewatt::kernels {

std::span<const NamedKernel> named_kernels() {
  static constexpr NamedKernel kNamed[] = {
      {"copy", copy},
  };
  return kNamed;
}

}  // namespace truewatt::kernels
