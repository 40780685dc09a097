#include "truewatt/sensor/meter/pmd_usb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "truewatt/testing/fake_pmd.hpp"
#include "truewatt/testing/test_clock.hpp"
#include "truewatt/trace/formats/meters/pmd_dump.hpp"
#include "truewatt/trace/formats/read_file.hpp"

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A line with a meter at its end that plays `stream`, `bytes_per_ms` of the clock.
struct UsbLine {
  TestClock clock;
  FakePmd pmd;
  std::string stream;
  double bytes_per_ms = 87.8;
  bool connected = true;
  std::string pending;  ///< answered and not yet read
  std::size_t played = 0;
  HostTime since;
};

class FakeUsbPort : public SerialPort {
 public:
  explicit FakeUsbPort(UsbLine& line) : line_(line) {}
  Result<std::string> read(std::chrono::milliseconds patience) override {
    if (!line_.pmd.streaming || !line_.pending.empty()) {
      if (line_.pending.empty()) line_.clock.sleep_until(line_.clock.now() + patience);
      return std::exchange(line_.pending, "");
    }
    line_.clock.sleep_until(line_.clock.now() + 2ms);
    const double ms = 1e3 * seconds_between(line_.since, line_.clock.now());
    const auto until = static_cast<std::size_t>(ms * line_.bytes_per_ms);
    const std::size_t from = std::exchange(line_.played, until);
    return from < line_.stream.size() ? line_.stream.substr(from, until - from) : "";
  }
  Result<void> write(std::string_view bytes) override {
    const bool heard = line_.connected && baud_ == line_.pmd.baud;
    if (!heard) return {};
    const bool streamed = line_.pmd.streaming;
    line_.pending += line_.pmd.answer(bytes);
    if (!streamed && line_.pmd.streaming) line_.since = line_.clock.now();
    return {};
  }
  Result<void> set_baud(int baud) override {
    baud_ = baud;
    line_.pending.clear();
    return {};
  }

 private:
  UsbLine& line_;
  int baud_ = 0;
};

Result<std::unique_ptr<PmdUsb>> connect_usb(UsbLine& line) {
  return PmdUsb::connect(std::make_unique<FakeUsbPort>(line), line.clock);
}

TEST(PmdUsb, IsFoundAtWhateverSpeedItWasLeft) {
  for (const int baud : {115'200, 921'600, 460'800}) {
    for (const bool streaming : {false, true}) {
      UsbLine line;
      line.pmd.baud = baud;
      line.pmd.streaming = streaming;
      const auto meter = connect_usb(line);
      ASSERT_TRUE(meter) << baud << ": " << meter.error().message;
      EXPECT_EQ((*meter)->firmware(), 5);
      EXPECT_FALSE(line.pmd.streaming);
    }
  }
}

TEST(PmdUsb, ASilentLineTimesOut) {
  UsbLine line;
  line.connected = false;
  EXPECT_EQ(connect_usb(line).error().code, Errc::timed_out);
}

TEST(PmdUsb, AMeterThatAveragesIsRefused) {
  for (const int firmware : {5, 6}) {
    UsbLine line;
    line.pmd.firmware = firmware;
    line.pmd.averaging = 2;
    const auto meter = connect_usb(line);
    ASSERT_FALSE(meter);
    EXPECT_EQ(meter.error().code, Errc::unsupported);
    EXPECT_THAT(meter.error().message, HasSubstr("119 ms"));
  }
}

TEST(PmdUsb, StreamsTheReadingsThatItsBytesHold) {
  UsbLine line;
  const std::filesystem::path data = TRUEWATT_TEST_DATA;
  line.stream = trace::read_file(data / "sc24" / "step_a100" / "PMD_data.bin").value();
  auto meter = connect_usb(line).value();
  ASSERT_TRUE(meter->start());
  EXPECT_EQ(line.pmd.baud, 921'600);
  while (line.played < line.stream.size()) ASSERT_TRUE(meter->fetch());
  const auto live = meter->stop();
  ASSERT_TRUE(live) << live.error().message;
  EXPECT_FALSE(line.pmd.streaming);
  EXPECT_EQ(line.pmd.baud, 115'200);
  const auto recorded = trace::parse_pmd_dump(line.stream, {}).value();
  // The last frames wait for more bytes behind them.
  ASSERT_GE(live->samples.size() + 4, recorded.samples.size());
  for (std::size_t i = 0; i < live->samples.size(); ++i) {
    ASSERT_DOUBLE_EQ(live->samples[i].power_w, recorded.samples[i].power_w) << i;
  }
  EXPECT_EQ(live->axis, trace::MeterAxis::host);
  // Played evenly by bytes: 87.8 bytes are 1 ms, and what that is in ticks the recording says.
  const double recorded_s =
      seconds_between(recorded.samples.front().time, recorded.samples.back().time);
  const double played_s = 1e-3 * static_cast<double>(line.stream.size()) / line.bytes_per_ms;
  const double rate = trace::kPmdTicksPerMs * recorded_s / played_s;
  EXPECT_NEAR(*live->ticks_per_ms, rate, 0.001 * rate);
  // Frames come 2 ms late at most, and four more behind each.
  EXPECT_NEAR(seconds_between(line.since, live->samples.front().time), 0.0, 0.01);
}

TEST(PmdUsb, AClockThatIsNoneIsAnError) {
  UsbLine line;
  const std::filesystem::path data = TRUEWATT_TEST_DATA;
  line.stream = trace::read_file(data / "sc24" / "step_a100" / "PMD_data.bin").value();
  line.bytes_per_ms = 40.0;
  auto meter = connect_usb(line).value();
  ASSERT_TRUE(meter->start());
  while (line.played < line.stream.size()) ASSERT_TRUE(meter->fetch());
  EXPECT_EQ(meter->stop().error().code, Errc::device);
}

}  // namespace
}  // namespace truewatt::sensor
