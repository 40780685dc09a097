// Any bytes are a cubin whose loop is counted in full or an error with a message.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "truewatt/machine_code/loop_body.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = truewatt::machine_code::loop_body(std::as_bytes(std::span(data, size)), "k");
  if (!body) {
    if (body.error().message.empty()) std::abort();
    return 0;
  }
  double sum = 0;
  for (const auto& one : body->opcodes) sum += one.count;
  if (sum != static_cast<double>(body->instructions) || sum < 2) std::abort();
  return 0;
}
