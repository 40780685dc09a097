#pragma once

#include <memory>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/sensor/meter/meter.hpp"
#include "truewatt/sensor/meter/serial_port.hpp"
#include "truewatt/sensor/meter/tick_clock.hpp"
#include "truewatt/trace/formats/meters/pmd_frames.hpp"

namespace truewatt::sensor {

/// An ElmorLabs PMD-USB: about 4800 readings a second of four rails, summed with their signs. Its
/// settings other than the speed of the line are left as they are.
class PmdUsb : public Meter {
 public:
  /// Stops what the meter may still be sending, finds the speed it talks at, and checks who it is
  /// and that it does not average. A meter restarts on being opened; this waits up to 4 s for it.
  /// Errors: timed_out when nothing answers, unsupported for another device or a meter that
  /// averages, and those of the line. The clock must outlive the meter.
  static Result<std::unique_ptr<PmdUsb>> connect(std::unique_ptr<SerialPort> port, Clock& clock);

  ~PmdUsb() override;
  std::string_view name() const override { return "PMD-USB"; }
  int firmware() const { return firmware_; }
  Result<void> start() override;
  Result<void> fetch() override;
  Result<trace::MeterTrace> stop() override;

 private:
  /// Where in the readings a piece of the stream begins, and its stamp.
  struct Piece {
    std::size_t first_frame = 0;
    TickStamp stamp;  ///< of its last frame
  };

  PmdUsb(std::unique_ptr<SerialPort> port, Clock& clock) : port_(std::move(port)), clock_(clock) {}
  void wait(Nanoseconds duration);
  Result<std::string> ask(std::string_view command, std::size_t bytes);
  Result<bool> greets(int baud);
  Result<void> find_speed();
  Result<void> check_identity();
  Result<void> check_averaging();
  Result<void> set_speed(int baud);
  Result<void> stop_stream();
  Result<trace::MeterTrace> trace_of_readings() const;

  std::unique_ptr<SerialPort> port_;
  Clock& clock_;
  int firmware_ = 0;
  bool streaming_ = false;
  trace::PmdFrameStream stream_;
  std::vector<trace::PmdFrame> frames_;
  std::vector<Piece> pieces_;
};

}  // namespace truewatt::sensor
