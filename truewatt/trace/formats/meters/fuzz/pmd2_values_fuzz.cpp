#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/meters/pmd2_values.hpp"

using namespace truewatt::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = as_text(data, size);
  for (const Pmd2Model model : {Pmd2Model::pmd2, Pmd2Model::pmd2x}) {
    const auto values = parse_pmd2_values(bytes, model);
    const std::size_t needed = layout_of(model).sensor_bytes;
    require(size >= needed || !values, "short answers are errors");
    if (!values) continue;
    // 15 V and 2^31 mA at most, and what powers may be off.
    for (const double watts : values->watts) {
      require(std::abs(watts) < 1.05 * 15.0 * 2'147'484.0 + 2.0, "powers are what plugs carry");
    }
    require(std::isfinite(values->total().value()), "totals are finite");
    const auto head = parse_pmd2_values(bytes.substr(0, needed), model);
    require(head && head->watts == values->watts, "what follows the sensors does not matter");
  }
  return 0;
}
