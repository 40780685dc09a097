// Any bytes are a cubin whose kernels and loop are counted in full or an error with a message.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "truewatt/machine_code/loop_body.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const std::string& name : truewatt::machine_code::kernel_names(bytes)) {
    const auto code = truewatt::machine_code::kernel_code(bytes, name);
    if (!code) continue;
    double all = 0;
    for (const auto& one : truewatt::machine_code::opcode_counts(*code)) all += one.count;
    if (all > static_cast<double>(code->words.size())) std::abort();
  }
  const auto body = truewatt::machine_code::loop_body(bytes, "k");
  if (!body) {
    if (body.error().message.empty()) std::abort();
    return 0;
  }
  double sum = 0;
  for (const auto& one : body->opcodes) sum += one.count;
  if (sum != static_cast<double>(body->instructions) || sum < 2) std::abort();
  return 0;
}
