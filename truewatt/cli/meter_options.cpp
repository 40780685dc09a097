#include "truewatt/cli/meter_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "truewatt/cli/options.hpp"
#include "truewatt/sensor/meter/connect_meter.hpp"

namespace truewatt::cli {

CLI::Option* add_meter_accuracy(CLI::App& verb, std::optional<double>& share) {
  return verb
      .add_option_function<std::string>(
          "--meter-accuracy",
          [share = &share](const std::string& text) {
            *share = parse_share(text);
            if (!*share) throw CLI::ValidationError("--meter-accuracy", not_a_share(text));
          },
          "Bound of the meter's error (default: a PMD-USB's, 1.12%)")
      ->type_name("SHARE");
}

Result<std::unique_ptr<sensor::Meter>> meter_for(devices::DeviceSet& set, const std::string& path) {
  const bool simulated = path.empty() || path == kSimulatedMeter;
  if (set.simulated()) {
    if (simulated) return std::unique_ptr<sensor::Meter>();
    return Unexpected(Errc::invalid_argument,
                      fmt::format("--meter {}: a simulated GPU has a simulated meter, --meter {}",
                                  path, kSimulatedMeter));
  }
  if (simulated) {
    return Unexpected(
        Errc::invalid_argument,
        "name the meter's serial line, as in --meter /dev/ttyUSB0; a simulated one is "
        "for simulated GPUs, as -d sim:rtx3090");
  }
  auto port = sensor::open_serial_port(path);
  if (!port) return Unexpected(port.error());
  return sensor::connect_meter(*std::move(port), sensor::kind_of_line(path), *set.clock);
}

}  // namespace truewatt::cli
