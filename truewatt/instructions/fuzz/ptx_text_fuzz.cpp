#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "truewatt/instructions/ptx_text.hpp"

/// Any bytes are kernels whose instructions have names and stand there at least once.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& kernel : truewatt::instructions::kernels_of_ptx(text)) {
    for (const auto& [name, count] : kernel.instructions) {
      if (name.empty() || !(count >= 1)) std::abort();
    }
  }
  return 0;
}
