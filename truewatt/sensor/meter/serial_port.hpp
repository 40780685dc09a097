#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"

namespace truewatt::sensor {

/// A serial line: 8 bits, no parity, one stop bit, no flow control. One thread at a time.
class SerialPort {
 public:
  virtual ~SerialPort() = default;
  /// Whatever has arrived, at most 64 KiB; waits up to `patience` for the first byte. Empty:
  /// nothing came. Errors: device when the line is gone.
  virtual Result<std::string> read(std::chrono::milliseconds patience) = 0;
  virtual Result<void> write(std::string_view bytes) = 0;
  /// Sets the speed of our side and forgets what has arrived. Errors: unsupported.
  virtual Result<void> set_baud(int baud) = 0;
};

/// Opens a terminal device (`/dev/ttyUSB0`) by termios, raw, with DTR and RTS set where it has
/// them. Errors: unavailable, permission (the message names the group to join), unsupported for a
/// file that is no terminal.
Result<std::unique_ptr<SerialPort>> open_serial_port(const std::string& path);

}  // namespace truewatt::sensor
