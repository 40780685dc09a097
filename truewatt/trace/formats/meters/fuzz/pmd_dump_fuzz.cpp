#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/meters/pmd_dump.hpp"

using namespace truewatt::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  PmdDumpOptions options;
  options.start = truewatt::DriverTime(std::chrono::seconds(1'689'325'828));
  const auto meter = parse_pmd_dump(as_text(data, size), options);
  if (!meter) return 0;
  require(meter->samples.size() == meter->rails.size(), "rails stand beside samples");
  require(18 * meter->samples.size() + meter->skipped_bytes == size, "every byte is accounted for");
  for (std::size_t i = 0; i < meter->samples.size(); ++i) {
    require(i == 0 || meter->samples[i].time > meter->samples[i - 1].time, "time rises");
    require(std::abs(meter->samples[i].power_w) < 4 * 15.0 * 100.0,
            "power is what the meter reads");
  }
  return 0;
}
