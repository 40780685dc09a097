#pragma once

#include <memory>
#include <string>

#include "truewatt/base/clock.hpp"
#include "truewatt/sensor/meter/meter.hpp"
#include "truewatt/sensor/meter/serial_port.hpp"

namespace truewatt::sensor {

/// What hangs on a line. A PMD-USB is behind a CH340 (ttyUSB); a PMD2 is a USB terminal of its own
/// (ttyACM), to which a PMD-USB's commands would mean that its settings be written.
enum class LineKind { unknown, usb_terminal };
LineKind kind_of_line(const std::string& path);

/// The meter at the other end: a PMD2 or PMD2X when one says so, else a PMD-USB, for which a USB
/// terminal is never probed. Errors: those of PmdUsb::connect and Pmd2::connect. The clock must
/// outlive the meter.
Result<std::unique_ptr<Meter>> connect_meter(std::unique_ptr<SerialPort> port, LineKind kind,
                                             Clock& clock);

}  // namespace truewatt::sensor
