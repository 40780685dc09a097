// Fuzz target of the profile and calibration readers: what they accept can be written, and reads
// back equal.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "truewatt/store/profile_file.hpp"

namespace {

using namespace truewatt::store;

void require(bool claim) {
  if (!claim) std::abort();
}

template <class T>
void check(std::string_view text, truewatt::Result<T> (*read)(std::string_view, std::string_view),
           std::string (*write)(const T&)) {
  const auto accepted = read(text, "fuzz.json");
  if (!accepted) {
    require(accepted.error().message.starts_with("fuzz.json"));
    return;
  }
  // Writing loses nothing, so a second round gives the same text.
  const std::string written = write(*accepted);
  const auto again = read(written, "fuzz.json");
  require(again.has_value());
  require(write(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, profile_from_json, profile_to_json);
  check(text, calibration_from_json, calibration_to_json);
  return 0;
}
