#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/meters/meter_csv.hpp"

using namespace truewatt::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto meter = parse_meter_csv(as_text(data, size));
  if (!meter) return 0;
  const auto& samples = meter->samples;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    require(samples[i].time > samples[i - 1].time, "time rises");
  }
  const auto energy = meter_energy(*meter, samples.front().time, samples.back().time);
  require(energy && std::isfinite(energy->value()), "energy of the whole is a number");
  return 0;
}
