#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/clock.hpp"
#include "truewatt/sensor/meter/meter.hpp"
#include "truewatt/sensor/meter/serial_port.hpp"
#include "truewatt/trace/formats/meters/pmd2_values.hpp"

namespace truewatt::sensor {

/// An ElmorLabs PMD2 or PMD2X: asked for its values again and again, some hundred times a second;
/// a reading's time is the middle between question and answer. The plugs of a GPU are summed with
/// their signs (trace::Pmd2Values). Nothing but questions is ever sent, so that its settings stay;
/// its averaging (0.26 to 135 ms) is not among what its host software documents and is not read.
/// Written from that software (PMD2_Device.cs); no such meter was tried.
class Pmd2 : public Meter {
 public:
  /// Whether a PMD2 or PMD2X is on the line: it greets by name when the line is opened, and when
  /// asked. The question means the same to a PMD-USB and harms no meter. Errors: those of the line.
  static Result<std::optional<trace::Pmd2Model>> find(SerialPort& port);
  /// Checks who it is and how long its answers are. Errors: unsupported for a device whose numbers
  /// or answers are others, timed_out, and those of the line. The clock must outlive the meter.
  static Result<std::unique_ptr<Pmd2>> connect(std::unique_ptr<SerialPort> port,
                                               trace::Pmd2Model model, Clock& clock);

  std::string_view name() const override { return trace::name_of(model_); }
  int firmware() const { return firmware_; }
  Result<void> start() override;
  Result<void> fetch() override;
  Result<trace::MeterTrace> stop() override;

 private:
  Pmd2(std::unique_ptr<SerialPort> port, trace::Pmd2Model model, Clock& clock)
      : port_(std::move(port)), clock_(clock), model_(model) {}
  Result<void> check_identity();
  Result<void> measure_answer();
  Result<void> drain();
  Result<void> pass_over(std::size_t bytes, const std::string& why);

  std::unique_ptr<SerialPort> port_;
  Clock& clock_;
  trace::Pmd2Model model_;
  int firmware_ = 0;
  std::size_t answer_bytes_ = 0;
  int failures_ = 0;  ///< answers in a row that could not be read
  HostTime next_;     ///< when to ask again
  trace::MeterTrace readings_;
};

}  // namespace truewatt::sensor
