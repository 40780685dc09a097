#include "truewatt/kernels/random_bytes.hpp"

#include <cstdint>
#include <cstring>

namespace truewatt::kernels {

void fill_randomly(std::span<std::byte> bytes) {
  std::uint64_t state = 0x9E3779B97F4A7C15U;
  for (std::size_t at = 0; at + sizeof state <= bytes.size(); at += sizeof state) {
    state ^= state << 13U;  // Marsaglia's xorshift
    state ^= state >> 7U;
    state ^= state << 17U;
    std::memcpy(bytes.data() + at, &state, sizeof state);
  }
}

}  // namespace truewatt::kernels
