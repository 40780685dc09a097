#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

std::string_view to_string(Optimization optimization) {
  return optimization == Optimization::O0 ? "O0" : "O3";
}

std::string_view to_string(MemoryOperation operation) {
  return operation == MemoryOperation::load ? "load" : "store";
}

}  // namespace truewatt::kernels
