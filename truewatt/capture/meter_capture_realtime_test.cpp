#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <filesystem>

#include "truewatt/capture/meter_capture.hpp"
#include "truewatt/clock/system_clock.hpp"
#include "truewatt/sensor/meter/pmd_usb.hpp"
#include "truewatt/testing/fake_pmd.hpp"
#include "truewatt/trace/formats/meters/pmd_dump.hpp"
#include "truewatt/trace/formats/read_file.hpp"

namespace truewatt::capture {
namespace {

using namespace std::chrono_literals;

/// A meter behind a pseudo-terminal, which plays a dump as fast as its ticks say.
class PlayedMeter {
 public:
  explicit PlayedMeter(std::string dump) : dump_(std::move(dump)) {
    const auto recorded = trace::parse_pmd_dump(dump_, {}).value();
    const auto& samples = recorded.samples;
    bytes_per_s_ = static_cast<double>(dump_.size()) /
                   seconds_between(samples.front().time, samples.back().time);
    char name[256];
    termios raw{};
    cfmakeraw(&raw);
    if (openpty(&master_, &slave_, name, &raw, nullptr) != 0) return;
    path_ = name;
    fcntl(master_, F_SETFL, O_NONBLOCK);
    thread_ = std::jthread([this](const std::stop_token& stop) { play(stop); });
  }
  ~PlayedMeter() {
    thread_ = {};
    close(master_);
    close(slave_);
  }
  const std::string& path() const { return path_; }

 private:
  void play(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waiting{.fd = master_, .events = POLLIN, .revents = 0};
      poll(&waiting, 1, 1);
      char bytes[256];
      const ssize_t count = read(master_, bytes, sizeof bytes);
      if (count > 0) obey({bytes, static_cast<std::size_t>(count)});
      if (pmd_.streaming) send();
    }
  }
  void obey(std::string_view bytes) {
    const std::string answer = pmd_.answer(bytes);
    EXPECT_EQ(write(master_, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    if (pmd_.streaming) begin_ = clock_.now();
  }
  void send() {
    const double seconds = seconds_between(begin_, clock_.now());
    const auto due = std::min(dump_.size(), static_cast<std::size_t>(seconds * bytes_per_s_));
    if (due <= sent_) return;
    const ssize_t count = write(master_, dump_.data() + sent_, due - sent_);
    if (count > 0) sent_ += static_cast<std::size_t>(count);
  }

  std::string dump_;
  double bytes_per_s_ = 0.0;
  sensor::FakePmd pmd_;
  SystemClock clock_;
  HostTime begin_;
  std::size_t sent_ = 0;
  int master_ = -1;
  int slave_ = -1;
  std::string path_;
  std::jthread thread_;
};

TEST(MeterCapture, AMeterBehindATerminalGivesWhatItsRecordingHolds) {
  const std::filesystem::path data = TRUEWATT_TEST_DATA;
  const std::string dump =
      trace::read_file(data / "sc24" / "step_rtx3090" / "PMD_data.bin").value();
  PlayedMeter played(dump);
  ASSERT_FALSE(played.path().empty()) << "no pseudo-terminal";
  SystemClock clock;
  auto port = sensor::open_serial_port(played.path());
  ASSERT_TRUE(port) << port.error().message;
  auto meter = sensor::PmdUsb::connect(*std::move(port), clock);
  ASSERT_TRUE(meter) << meter.error().message;
  const HostTime begin = clock.now();
  MeterCapture capture(**meter);
  ASSERT_TRUE(capture.start());
  clock.sleep_until(begin + 3s);
  const auto live = capture.stop();
  ASSERT_TRUE(live) << live.error().message;
  const auto recorded = trace::parse_pmd_dump(dump, {}).value();
  EXPECT_GT(live->samples.size(), 10'000U);
  EXPECT_EQ(live->skipped_bytes, 0U);
  ASSERT_LE(live->samples.size(), recorded.samples.size());
  for (std::size_t i = 0; i < live->samples.size(); ++i) {
    ASSERT_DOUBLE_EQ(live->samples[i].power_w, recorded.samples[i].power_w) << i;
  }
  // The recording's frames are not quite even; a scheduler's 10 ms over 2.5 s are 0.4 %.
  EXPECT_NEAR(*live->ticks_per_ms / trace::kPmdTicksPerMs, 1.0, 0.01);
  EXPECT_GT(live->samples.front().time, begin);
  EXPECT_LT(live->samples.back().time, clock.now());
}

class FailingMeter : public sensor::Meter {
 public:
  std::string_view name() const override { return "failing"; }
  Result<void> start() override { return {}; }
  Result<void> fetch() override { return Unexpected(Errc::device, "the meter went away"); }
  Result<trace::MeterTrace> stop() override { return trace::MeterTrace{}; }
};

TEST(MeterCapture, AMeterThatFailsSaysSoAtOnce) {
  FailingMeter meter;
  MeterCapture capture(meter);
  std::stop_source stop;
  ASSERT_TRUE(capture.start([&stop] { stop.request_stop(); }));
  SystemClock clock;
  const HostTime patience = clock.now() + 10s;
  while (!stop.stop_requested() && clock.now() < patience) clock.sleep_until(clock.now() + 1ms);
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_EQ(capture.stop().error().code, Errc::device);
}

TEST(MeterCapture, WhatIsNoTerminalIsNoMeter) {
  EXPECT_EQ(sensor::open_serial_port("/nonexistent").error().code, Errc::unavailable);
  EXPECT_EQ(sensor::open_serial_port("/dev/null").error().code, Errc::unsupported);
}

}  // namespace
}  // namespace truewatt::capture
