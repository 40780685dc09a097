#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <thread>

#include "truewatt/capture/meter_capture.hpp"
#include "truewatt/clock/system_clock.hpp"
#include "truewatt/sensor/meter/connect_meter.hpp"
#include "truewatt/testing/fake_pmd2.hpp"

namespace truewatt::capture {
namespace {

using namespace std::chrono_literals;

/// A PMD2 behind a pseudo-terminal, which greets when the line is opened and answers questions.
class AnsweringMeter {
 public:
  explicit AnsweringMeter(sensor::FakePmd2 pmd2) : pmd2_(std::move(pmd2)) {
    char name[256];
    termios raw{};
    cfmakeraw(&raw);
    if (openpty(&master_, &slave_, name, &raw, nullptr) != 0) return;
    path_ = name;
    send(pmd2_.greeting());
    thread_ = std::jthread([this](const std::stop_token& stop) { answer(stop); });
  }
  ~AnsweringMeter() {
    thread_ = {};
    close(master_);
    close(slave_);
  }
  const std::string& path() const { return path_; }

 private:
  void send(const std::string& bytes) {
    EXPECT_EQ(write(master_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void answer(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waiting{.fd = master_, .events = POLLIN, .revents = 0};
      if (poll(&waiting, 1, 5) <= 0) continue;
      char question = 0;
      if (read(master_, &question, 1) == 1) send(pmd2_.answer({&question, 1}));
    }
  }

  sensor::FakePmd2 pmd2_;
  int master_ = -1;
  int slave_ = -1;
  std::string path_;
  std::jthread thread_;
};

TEST(Pmd2Capture, AMeterBehindATerminalGivesItsReadingsOnTheHostsAxis) {
  for (const bool extended : {false, true}) {
    sensor::FakePmd2 pmd2;
    pmd2.extended = extended;
    AnsweringMeter answering(pmd2);
    ASSERT_FALSE(answering.path().empty()) << "no pseudo-terminal";
    SystemClock clock;
    auto port = sensor::open_serial_port(answering.path());
    ASSERT_TRUE(port) << port.error().message;
    const auto meter = sensor::connect_meter(*std::move(port), sensor::LineKind::unknown, clock);
    ASSERT_TRUE(meter) << meter.error().message;
    EXPECT_EQ((*meter)->name(), extended ? "PMD2X" : "PMD2");
    const HostTime begin = clock.now();
    MeterCapture capture(**meter);
    ASSERT_TRUE(capture.start());
    clock.sleep_until(begin + 300ms);
    const auto live = capture.stop();
    ASSERT_TRUE(live) << live.error().message;
    // One every 2 ms where nothing holds them up.
    EXPECT_GE(live->samples.size(), 10U);
    EXPECT_LE(live->samples.size(), 151U);
    EXPECT_EQ(live->skipped_bytes, 0U);
    HostTime last = begin;
    for (const trace::MeterSample& sample : live->samples) {
      EXPECT_NEAR(sample.power_w, 250.0, 1e-9);
      EXPECT_GT(sample.time, last);
      last = sample.time;
    }
    EXPECT_LT(last, clock.now());
  }
}

}  // namespace
}  // namespace truewatt::capture
