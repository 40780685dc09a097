#include "truewatt/capture/meter_capture.hpp"

#include <utility>

namespace truewatt::capture {

Result<void> MeterCapture::start(std::function<void()> failed) {
  if (const auto started = meter_.start(); !started) return started;
  thread_ = std::jthread([this, failed = std::move(failed)](const std::stop_token& stop) {
    Result<void> done;
    while (done && !stop.stop_requested()) done = meter_.fetch();
    if (done) return;
    error_ = done.error();
    if (failed) failed();
  });
  return {};
}

MeterCapture::~MeterCapture() {
  if (thread_.joinable()) static_cast<void>(stop());
}

Result<trace::MeterTrace> MeterCapture::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  auto readings = meter_.stop();
  if (error_) return Unexpected(*error_);
  return readings;
}

}  // namespace truewatt::capture
