#include "truewatt/sensor/meter/pmd_usb.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// Commands are one byte, some with data (host software by ElmorLabs, PMD/PMD_USB_Device.cs).
constexpr std::string_view kUsbWelcome = "\x00"sv;
constexpr std::string_view kReadId = "\x01"sv;
constexpr std::string_view kReadConfig = "\x04"sv;
/// Continuous stream: enable, bytes of the tick, mask of channels.
constexpr std::string_view kStream = "\x07\x01\x02\xFF"sv;
constexpr std::string_view kNoStream = "\x07\x00\x00\x00"sv;
constexpr char kSetLine =
    '\x08';  ///< and baud, parity (2: none), data bits (0: 8), stop bits (0: 1)

constexpr std::string_view kUsbGreeting = "ElmorLabs PMD-USB";
constexpr std::string_view kUsbId = "\xEE\x0A"sv;  ///< and the firmware's version
/// The settings' length by firmware, and where in them the averaging stands in all.
constexpr int kFirmwareOfLongConfig = 6;
constexpr std::size_t kConfigBytes = 26;
constexpr std::size_t kLongConfigBytes = 34;
constexpr std::size_t kAveragingAt = 22;
constexpr std::array<std::string_view, 4> kAveraging{"0.03 ms", "1.9 ms", "119 ms", "0.95 s"};

constexpr int kSpeedAtStart = 115'200;
/// 5120 frames a second at most; the meter sends 4800.
constexpr int kStreamSpeed = 921'600;
constexpr std::array<int, 4> kUsbSpeeds{kSpeedAtStart, kStreamSpeed, 460'800, 230'400};
constexpr int kScans = 3;  ///< of all speeds; a meter that restarts answers after 3 s
constexpr std::chrono::milliseconds kUsbPatience = 300ms;
constexpr std::chrono::milliseconds kFetchPatience = 5ms;
constexpr Nanoseconds kSettling = 50ms;

std::string set_line_command(int baud) {
  std::string command(1, kSetLine);
  for (const std::uint32_t word : {static_cast<std::uint32_t>(baud), 2U, 0U, 0U}) {
    for (int shift = 0; shift < 32; shift += 8) {
      command += static_cast<char>((word >> shift) & 0xFF);
    }
  }
  return command;
}

}  // namespace

Result<std::unique_ptr<PmdUsb>> PmdUsb::connect(std::unique_ptr<SerialPort> port, Clock& clock) {
  std::unique_ptr<PmdUsb> meter(new PmdUsb(std::move(port), clock));
  if (const auto found = meter->find_speed(); !found) return Unexpected(found.error());
  if (const auto checked = meter->check_identity(); !checked) return Unexpected(checked.error());
  if (const auto checked = meter->check_averaging(); !checked) return Unexpected(checked.error());
  return meter;
}

PmdUsb::~PmdUsb() {
  if (streaming_) static_cast<void>(stop_stream());
}

void PmdUsb::wait(Nanoseconds duration) { clock_.sleep_until(clock_.now() + duration); }

/// The answer to a command: so many bytes, or what came of them in time.
Result<std::string> PmdUsb::ask(std::string_view command, std::size_t bytes) {
  if (const auto sent = port_->write(command); !sent) return Unexpected(sent.error());
  std::string answer;
  while (answer.size() < bytes) {
    const auto more = port_->read(kUsbPatience);
    if (!more) return more;
    if (more->empty()) break;
    answer += *more;
  }
  return answer;
}

/// Whether a PMD-USB answers at this speed, which may be in the middle of a stream.
Result<bool> PmdUsb::greets(int baud) {
  if (const auto set = port_->set_baud(baud); !set) return Unexpected(set.error());
  if (const auto sent = port_->write(kNoStream); !sent) return Unexpected(sent.error());
  wait(kSettling);
  if (const auto set = port_->set_baud(baud); !set) return Unexpected(set.error());
  const auto answer = ask(kUsbWelcome, kUsbGreeting.size());
  if (!answer) return Unexpected(answer.error());
  return *answer == kUsbGreeting;
}

Result<void> PmdUsb::find_speed() {
  for (int scan = 0; scan < kScans; ++scan) {
    for (const int baud : kUsbSpeeds) {
      const auto found = greets(baud);
      if (!found) return Unexpected(found.error());
      if (*found) return {};
    }
  }
  return Unexpected(Errc::timed_out,
                    "no PMD-USB answers on this line; is it the right one, and is nothing else "
                    "reading from it?");
}

Result<void> PmdUsb::check_identity() {
  const auto id = ask(kReadId, kUsbId.size() + 1);
  if (!id) return Unexpected(id.error());
  if (id->size() != kUsbId.size() + 1 || !id->starts_with(kUsbId)) {
    return Unexpected(Errc::unsupported, "what answers is not a PMD-USB");
  }
  firmware_ = static_cast<unsigned char>(id->back());
  return {};
}

/// A meter that averages over a tenth of a second shows plateaus right and their edges wrong.
Result<void> PmdUsb::check_averaging() {
  const std::size_t bytes = firmware_ < kFirmwareOfLongConfig ? kConfigBytes : kLongConfigBytes;
  const auto config = ask(kReadConfig, bytes);
  if (!config) return Unexpected(config.error());
  if (config->size() < bytes) {
    return Unexpected(Errc::timed_out, fmt::format("the PMD-USB sent {} of {} bytes of its "
                                                   "settings",
                                                   config->size(), bytes));
  }
  const auto averaging = static_cast<unsigned char>((*config)[kAveragingAt]);
  if (averaging == 0) return {};
  return Unexpected(
      Errc::unsupported,
      fmt::format("the PMD-USB averages over {}; set its averaging to 0 (0.03 ms) with the "
                  "vendor's software",
                  averaging < kAveraging.size() ? kAveraging[averaging] : "an unknown time"));
}

Result<void> PmdUsb::set_speed(int baud) {
  if (const auto sent = port_->write(set_line_command(baud)); !sent) return sent;
  wait(kSettling);
  const auto found = greets(baud);
  if (!found) return Unexpected(found.error());
  if (*found) return {};
  return Unexpected(Errc::device, fmt::format("the PMD-USB does not talk at {} baud", baud));
}

Result<void> PmdUsb::start() {
  if (const auto set = set_speed(kStreamSpeed); !set) return set;
  stream_ = {};
  frames_.clear();
  pieces_.clear();
  streaming_ = true;
  return port_->write(kStream);
}

Result<void> PmdUsb::fetch() {
  const auto bytes = port_->read(kFetchPatience);
  if (!bytes) return Unexpected(bytes.error());
  if (bytes->empty()) return {};
  const HostTime now = clock_.now();
  const std::size_t first = frames_.size();
  stream_.feed(*bytes, frames_);
  if (frames_.size() > first) pieces_.push_back({first, {frames_.back().ticks, now}});
  return {};
}

Result<void> PmdUsb::stop_stream() {
  streaming_ = false;
  if (const auto sent = port_->write(kNoStream); !sent) return sent;
  wait(kSettling);
  return set_speed(kSpeedAtStart);
}

Result<trace::MeterTrace> PmdUsb::stop() {
  // The readings are worth more than a meter that is left as it was found.
  static_cast<void>(stop_stream());
  return trace_of_readings();
}

Result<trace::MeterTrace> PmdUsb::trace_of_readings() const {
  std::vector<TickStamp> stamps;
  for (const Piece& piece : pieces_) stamps.push_back(piece.stamp);
  const std::vector<std::int64_t> turns = lost_turns(stamps);
  for (std::size_t i = 0; i < stamps.size(); ++i) stamps[i].ticks += trace::kPmdWrap * turns[i];
  const auto line = fit_ticks(stamps);
  if (!line) return Unexpected(line.error());
  trace::MeterTrace meter{.meter = "PMD-USB", .axis = trace::MeterAxis::host};
  meter.ticks_per_ms = line->ticks_per_ms;
  meter.skipped_bytes = stream_.skipped_bytes();
  meter.samples.reserve(frames_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::size_t end = i + 1 < pieces_.size() ? pieces_[i + 1].first_frame : frames_.size();
    for (std::size_t k = pieces_[i].first_frame; k < end; ++k) {
      const trace::PmdFrame& frame = frames_[k];
      meter.samples.push_back({line->at(frame.ticks + trace::kPmdWrap * turns[i]),
                               std::accumulate(frame.watts.begin(), frame.watts.end(), 0.0)});
    }
  }
  if (!turns.empty() && turns.back() > 0) {
    meter.warnings.push_back(
        fmt::format("{} ms of meter readings were lost on the line", 22 * turns.back()));
  }
  return meter;
}

}  // namespace truewatt::sensor
