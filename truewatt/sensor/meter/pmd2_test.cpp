#include "truewatt/sensor/meter/pmd2.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/sensor/meter/connect_meter.hpp"
#include "truewatt/testing/fake_pmd.hpp"
#include "truewatt/testing/fake_pmd2.hpp"
#include "truewatt/testing/test_clock.hpp"

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

/// A line with a PMD2 at its end, or another meter, that answers after a millisecond.
struct Line {
  TestClock clock;
  FakePmd2 pmd2;
  std::optional<FakePmd> pmd_usb;  ///< hangs there instead
  bool connected = true;
  std::string pending;   ///< answered and not yet read
  std::size_t lose = 0;  ///< bytes of every answer to come
  std::vector<std::string> heard;
};

class FakePort : public SerialPort {
 public:
  explicit FakePort(Line& line) : line_(line) {
    if (line.connected && !line.pmd_usb) line.pending = line.pmd2.greeting();
  }
  Result<std::string> read(std::chrono::milliseconds patience) override {
    line_.clock.sleep_until(line_.clock.now() + (line_.pending.empty() ? patience : 1ms));
    return std::exchange(line_.pending, "");
  }
  Result<void> write(std::string_view bytes) override {
    line_.heard.emplace_back(bytes);
    if (!line_.connected) return {};
    const std::string answer =
        line_.pmd_usb ? line_.pmd_usb->answer(bytes) : line_.pmd2.answer(bytes);
    line_.pending += answer.substr(std::min(line_.lose, answer.size()));
    return {};
  }
  Result<void> set_baud(int) override {
    line_.pending.clear();
    return {};
  }

 private:
  Line& line_;
};

Result<std::unique_ptr<Meter>> connect(Line& line, LineKind kind = LineKind::usb_terminal) {
  return connect_meter(std::make_unique<FakePort>(line), kind, line.clock);
}

TEST(ConnectMeter, TellsThePmd2sAndThePmdUsbApart) {
  Line pmd2;
  ASSERT_TRUE(connect(pmd2));
  EXPECT_EQ((*connect(pmd2))->name(), "PMD2");
  for (const std::size_t flags : {10U, 16U}) {
    Line pmd2x;
    pmd2x.pmd2.extended = true;
    pmd2x.pmd2.flags = flags;
    const auto meter = connect(pmd2x);
    ASSERT_TRUE(meter) << meter.error().message;
    EXPECT_EQ((*meter)->name(), "PMD2X");
  }
  Line pmd_usb;
  pmd_usb.pmd_usb.emplace();
  const auto meter = connect(pmd_usb, LineKind::unknown);
  ASSERT_TRUE(meter) << meter.error().message;
  EXPECT_EQ((*meter)->name(), "PMD-USB");
}

TEST(ConnectMeter, NeverSendsAUsbTerminalWhatWouldWriteAPmd2sSettings) {
  Line silent;
  silent.connected = false;
  EXPECT_EQ(connect(silent).error().code, Errc::timed_out);
  EXPECT_THAT(silent.heard, Each(std::string(1, '\0')));
  EXPECT_EQ(kind_of_line("/dev/ttyACM3"), LineKind::usb_terminal);
  EXPECT_EQ(kind_of_line("/dev/ttyUSB0"), LineKind::unknown);
}

TEST(Pmd2, IsOnlyEverAskedQuestions) {
  Line line;
  auto meter = connect(line).value();
  ASSERT_TRUE(meter->start());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(meter->fetch());
  EXPECT_THAT(line.heard, Each(SizeIs(1)));
  for (const std::string& command : line.heard) {
    EXPECT_THAT((std::vector{'\x00', '\x01', '\x04'}), Contains(command[0]));
  }
}

TEST(Pmd2, ReadingsAreTheSumOfAGpusPlugsMidwayBetweenQuestionAndAnswer) {
  Line line;
  auto meter = connect(line).value();
  ASSERT_TRUE(meter->start());
  const HostTime begin = line.clock.now();
  for (int i = 0; i < 100; ++i) {
    line.pmd2.watts[4] = 100.0 + i;
    ASSERT_TRUE(meter->fetch());
  }
  const auto readings = meter->stop();
  ASSERT_TRUE(readings);
  EXPECT_EQ(readings->axis, trace::MeterAxis::host);
  EXPECT_EQ(readings->meter, "PMD2");
  EXPECT_THAT(readings->warnings, Contains(HasSubstr("never tried with a meter")));
  ASSERT_EQ(readings->samples.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(readings->samples[i].power_w, 200.0 + static_cast<double>(i), 1e-9);
    EXPECT_NEAR(seconds_between(begin, readings->samples[i].time),
                0.002 * static_cast<double>(i) + 0.0005, 1e-9);
  }
}

TEST(Pmd2, GarbledAnswersAreGivenUpAndManyInARowAreAnError) {
  Line line;
  auto meter = connect(line).value();
  ASSERT_TRUE(meter->start());
  ASSERT_TRUE(meter->fetch());
  line.lose = 3;
  ASSERT_TRUE(meter->fetch());
  line.lose = 0;
  ASSERT_TRUE(meter->fetch());
  const auto readings = meter->stop();
  EXPECT_EQ(readings->samples.size(), 2U);
  EXPECT_EQ(readings->skipped_bytes, 119U);
  line.connected = false;
  Result<void> fetched;
  for (int i = 0; i < 40 && fetched; ++i) fetched = meter->fetch();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, Errc::device);
}

TEST(Pmd2, AnswersOfAnotherLengthAreRefused) {
  Line line;
  line.pmd2.flags = 12;
  const auto meter = connect(line);
  ASSERT_FALSE(meter);
  EXPECT_EQ(meter.error().code, Errc::unsupported);
  EXPECT_THAT(meter.error().message, HasSubstr("124 bytes"));
}

TEST(Pmd2, WithoutReadingsThereIsNoTrace) {
  Line line;
  auto meter = connect(line).value();
  ASSERT_TRUE(meter->start());
  EXPECT_EQ(meter->stop().error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::sensor
