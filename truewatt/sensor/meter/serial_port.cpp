#include "truewatt/sensor/meter/serial_port.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace truewatt::sensor {
namespace {

constexpr std::size_t kReadBytes = 1 << 16;
constexpr int kWriteTimeoutMs = 1000;

std::optional<speed_t> speed_of(int baud) {
  static constexpr std::array<std::pair<int, speed_t>, 4> kBaudRates{
      {{115'200, B115200}, {230'400, B230400}, {460'800, B460800}, {921'600, B921600}}};
  for (const auto& [rate, speed] : kBaudRates) {
    if (rate == baud) return speed;
  }
  return std::nullopt;
}

Unexpected failed(Errc code, const std::string& path, const char* what) {
  return {code, fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno))};
}

class TerminalPort : public SerialPort {
 public:
  TerminalPort(int file, std::string path) : file_(file), path_(std::move(path)) {}
  ~TerminalPort() override { ::close(file_); }
  TerminalPort(const TerminalPort&) = delete;
  TerminalPort& operator=(const TerminalPort&) = delete;

  Result<void> make_raw();
  Result<std::string> read(std::chrono::milliseconds patience) override;
  Result<void> write(std::string_view bytes) override;
  Result<void> set_baud(int baud) override;

 private:
  /// False when nothing happened in time.
  Result<bool> wait_for(short event, int timeout_ms) const;

  int file_;
  std::string path_;
};

Result<void> TerminalPort::make_raw() {
  termios settings{};
  if (tcgetattr(file_, &settings) != 0) {
    return failed(Errc::unsupported, path_, "use it as a serial line");
  }
  cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~static_cast<tcflag_t>(CRTSCTS | CSTOPB);
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 0;
  if (tcsetattr(file_, TCSANOW, &settings) != 0) {
    return failed(Errc::unsupported, path_, "set it up as a serial line");
  }
  // The vendor's software sets both; pseudo-terminals have neither.
  int lines = TIOCM_DTR | TIOCM_RTS;
  ioctl(file_, TIOCMBIS, &lines);
  return {};
}

Result<bool> TerminalPort::wait_for(short event, int timeout_ms) const {
  pollfd waiting{.fd = file_, .events = event, .revents = 0};
  const int ready = poll(&waiting, 1, timeout_ms);
  if (ready < 0 && errno != EINTR) return failed(Errc::device, path_, "wait for it");
  if (ready > 0 && (waiting.revents & event) == 0) {
    return Unexpected(Errc::device, fmt::format("{}: the meter went away", path_));
  }
  return ready > 0;
}

Result<std::string> TerminalPort::read(std::chrono::milliseconds patience) {
  const auto ready = wait_for(POLLIN, static_cast<int>(patience.count()));
  if (!ready) return Unexpected(ready.error());
  if (!*ready) return std::string();
  std::string bytes(kReadBytes, '\0');
  const ssize_t count = ::read(file_, bytes.data(), bytes.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) return failed(Errc::device, path_, "read");
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

Result<void> TerminalPort::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto ready = wait_for(POLLOUT, kWriteTimeoutMs);
    if (!ready) return Unexpected(ready.error());
    if (!*ready) return Unexpected(Errc::timed_out, fmt::format("{} takes no bytes", path_));
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
      return failed(Errc::device, path_, "write");
    }
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  tcdrain(file_);
  return {};
}

Result<void> TerminalPort::set_baud(int baud) {
  const auto speed = speed_of(baud);
  termios settings{};
  if (!speed || tcgetattr(file_, &settings) != 0 || cfsetspeed(&settings, *speed) != 0 ||
      tcsetattr(file_, TCSANOW, &settings) != 0) {
    return Unexpected(Errc::unsupported, fmt::format("{} has no speed of {} baud", path_, baud));
  }
  tcflush(file_, TCIFLUSH);
  return {};
}

}  // namespace

Result<std::unique_ptr<SerialPort>> open_serial_port(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == EACCES) {
    return Unexpected(Errc::permission, fmt::format("{}: no permission; serial lines are for the "
                                                    "group dialout: sudo adduser $USER dialout",
                                                    path));
  }
  if (file < 0) return failed(Errc::unavailable, path, "open it");
  auto port = std::make_unique<TerminalPort>(file, path);
  if (const auto raw = port->make_raw(); !raw) return Unexpected(raw.error());
  return std::unique_ptr<SerialPort>(std::move(port));
}

}  // namespace truewatt::sensor
