// Any bytes are launches with counts or an error with a message.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "truewatt/counters/ncu/ncu_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto report = truewatt::counters::ncu::parse_ncu_csv(text);
  if (!report) {
    if (report.error().message.empty()) std::abort();
    return 0;
  }
  if (report->launches.empty()) std::abort();
  for (const auto& launch : report->launches) {
    if (launch.id.empty()) std::abort();
    for (const auto& [metric, value] : launch.values) {
      if (!std::isfinite(value) || value < 0) std::abort();
    }
  }
  return 0;
}
