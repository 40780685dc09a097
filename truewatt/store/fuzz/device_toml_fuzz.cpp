// Fuzz target of the device description reader: any text gives a description whose numbers are
// finite, or an error that names the origin.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "truewatt/store/device_file.hpp"

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto device = truewatt::store::read_device_toml(text, "fuzz.toml");
  if (!device) {
    require(device.error().message.starts_with("fuzz.toml"));
    return 0;
  }
  require(truewatt::check_description(*device).has_value());
  require(std::isfinite(device->board.drift.value()));
  for (const auto& [name, joules] : device->instruction_j) require(joules >= 0);
  for (const auto& [name, joules] : device->sector_j) require(joules >= 0);
  return 0;
}
