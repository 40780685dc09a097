#include "truewatt/sensor/meter/pmd2.hpp"

#include <fmt/format.h>

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// Questions are one byte (host software by ElmorLabs, PMD2_Device.cs). 05 and 07, which write
// settings, are never sent.
constexpr std::string_view kWelcome = "\x00"sv;
constexpr std::string_view kReadVendor = "\x01"sv;
constexpr std::string_view kReadValues = "\x04"sv;

constexpr std::string_view kGreeting = "ElmorLabs PMD2"sv;
constexpr std::string_view kGreetingX = "ElmorLabs PMD2X"sv;
constexpr std::string_view kId = "\xEE\x15"sv;  ///< and the firmware's version
constexpr std::string_view kIdX = "\xEE\x17"sv;

constexpr std::chrono::milliseconds kPatience = 300ms;
constexpr std::chrono::milliseconds kAnswerPatience = 30ms;
/// An answer has ended when nothing follows for so long.
constexpr std::chrono::milliseconds kQuiet = 20ms;
constexpr Nanoseconds kPollPeriod = 2ms;
/// So many bad answers in a row mean that this is no meter any more.
constexpr int kMostFailures = 20;
constexpr std::size_t kLongestDrain = 1 << 20;

/// Reads `bytes` of an answer, or what came of them in time.
Result<std::string> read_answer(SerialPort& port, std::size_t bytes,
                                std::chrono::milliseconds patience) {
  std::string answer;
  while (answer.size() < bytes) {
    const auto more = port.read(patience);
    if (!more) return more;
    if (more->empty()) break;
    answer += *more;
  }
  return answer;
}

}  // namespace

Result<std::optional<trace::Pmd2Model>> Pmd2::find(SerialPort& port) {
  if (const auto asked = port.write(kWelcome); !asked) return Unexpected(asked.error());
  // The greeting at opening and the one that was asked for; a PMD-USB may be in the midst of a
  // stream.
  const auto heard = read_answer(port, 2 * (kGreetingX.size() + 1), kPatience);
  if (!heard) return Unexpected(heard.error());
  if (heard->find(kGreetingX) != std::string::npos) return std::optional(trace::Pmd2Model::pmd2x);
  if (heard->find(kGreeting) != std::string::npos) return std::optional(trace::Pmd2Model::pmd2);
  return std::optional<trace::Pmd2Model>();
}

Result<std::unique_ptr<Pmd2>> Pmd2::connect(std::unique_ptr<SerialPort> port,
                                            trace::Pmd2Model model, Clock& clock) {
  std::unique_ptr<Pmd2> meter(new Pmd2(std::move(port), model, clock));
  if (const auto checked = meter->check_identity(); !checked) return Unexpected(checked.error());
  if (const auto measured = meter->measure_answer(); !measured) {
    return Unexpected(measured.error());
  }
  return meter;
}

Result<void> Pmd2::drain() {
  std::size_t bytes = 0;
  while (bytes < kLongestDrain) {
    const auto more = port_->read(kQuiet);
    if (!more) return Unexpected(more.error());
    if (more->empty()) return {};
    bytes += more->size();
  }
  return Unexpected(Errc::unsupported, fmt::format("the {} never falls silent: something has set "
                                                   "it to stream",
                                                   name()));
}

Result<void> Pmd2::check_identity() {
  if (const auto drained = drain(); !drained) return drained;
  if (const auto asked = port_->write(kReadVendor); !asked) return asked;
  const std::string_view expected = model_ == trace::Pmd2Model::pmd2 ? kId : kIdX;
  const auto id = read_answer(*port_, expected.size() + 1, kPatience);
  if (!id) return Unexpected(id.error());
  if (id->size() != expected.size() + 1 || !id->starts_with(expected)) {
    return Unexpected(Errc::unsupported,
                      fmt::format("what answers calls itself {}, but has other numbers", name()));
  }
  firmware_ = static_cast<unsigned char>(id->back());
  return {};
}

Result<void> Pmd2::measure_answer() {
  if (const auto asked = port_->write(kReadValues); !asked) return asked;
  const trace::Pmd2Layout layout = trace::layout_of(model_);
  const auto answer = read_answer(*port_, layout.whole_bytes_too + 1, kPatience);
  if (!answer) return Unexpected(answer.error());
  if (answer->size() != layout.whole_bytes && answer->size() != layout.whole_bytes_too) {
    return Unexpected(
        Errc::unsupported,
        fmt::format("the {} (firmware {}) answers with {} bytes, not with {} or {}: "
                    "its layout is not known",
                    name(), firmware_, answer->size(), layout.whole_bytes, layout.whole_bytes_too));
  }
  const auto values = trace::parse_pmd2_values(*answer, model_);
  if (!values) return Unexpected(Errc::unsupported, values.error().message);
  answer_bytes_ = answer->size();
  return {};
}

Result<void> Pmd2::start() {
  readings_ = {.meter = std::string(name()), .axis = trace::MeterAxis::host};
  failures_ = 0;
  next_ = clock_.now();
  return drain();
}

Result<void> Pmd2::fetch() {
  clock_.sleep_until(next_);
  const HostTime asked = clock_.now();
  next_ = asked + kPollPeriod;
  if (const auto sent = port_->write(kReadValues); !sent) return sent;
  const auto answer = read_answer(*port_, answer_bytes_, kAnswerPatience);
  if (!answer) return Unexpected(answer.error());
  const HostTime answered = clock_.now();
  if (answer->size() != answer_bytes_) {
    return pass_over(answer->size(), fmt::format("{} bytes came", answer->size()));
  }
  const auto values = trace::parse_pmd2_values(*answer, model_);
  if (!values) return pass_over(answer->size(), values.error().message);
  failures_ = 0;
  readings_.samples.push_back({asked + (answered - asked) / 2, values->total().value()});
  return {};
}

/// Gives an answer up, and finds back to where one begins.
Result<void> Pmd2::pass_over(std::size_t bytes, const std::string& why) {
  readings_.skipped_bytes += bytes;
  if (++failures_ >= kMostFailures) {
    return Unexpected(Errc::device,
                      fmt::format("the {} gives no values any more: {}", name(), why));
  }
  return drain();
}

Result<trace::MeterTrace> Pmd2::stop() {
  if (readings_.samples.empty()) {
    return Unexpected(Errc::insufficient_data, fmt::format("no reading of the {}", name()));
  }
  if (readings_.skipped_bytes > 0) {
    readings_.warnings.push_back(
        fmt::format("{} bytes of the {} could not be read", readings_.skipped_bytes, name()));
  }
  readings_.warnings.push_back(
      fmt::format("{} (firmware {}): read as its host software says, which was never tried with a "
                  "meter; hold a level against another one",
                  name(), firmware_));
  return readings_;
}

}  // namespace truewatt::sensor
