#include "truewatt/sensor/meter/connect_meter.hpp"

#include <filesystem>

#include "truewatt/sensor/meter/pmd2.hpp"
#include "truewatt/sensor/meter/pmd_usb.hpp"

namespace truewatt::sensor {

LineKind kind_of_line(const std::string& path) {
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(path, ignored);
  return real.filename().string().starts_with("ttyACM") ? LineKind::usb_terminal
                                                        : LineKind::unknown;
}

Result<std::unique_ptr<Meter>> connect_meter(std::unique_ptr<SerialPort> port, LineKind kind,
                                             Clock& clock) {
  const auto model = Pmd2::find(*port);
  if (!model) return Unexpected(model.error());
  if (*model) {
    auto meter = Pmd2::connect(std::move(port), **model, clock);
    if (!meter) return Unexpected(meter.error());
    return std::unique_ptr<Meter>(*std::move(meter));
  }
  if (kind == LineKind::usb_terminal) {
    return Unexpected(Errc::timed_out,
                      "no PMD2 answers on this line; is it the right one, and is nothing else "
                      "reading from it?");
  }
  auto meter = PmdUsb::connect(std::move(port), clock);
  if (!meter) return Unexpected(meter.error());
  return std::unique_ptr<Meter>(*std::move(meter));
}

}  // namespace truewatt::sensor
