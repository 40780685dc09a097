#include "truewatt/capture/meter_capture.hpp"

namespace truewatt::capture {

MeterCapture::MeterCapture(sensor::Meter& meter) : meter_(meter) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    auto done = meter_.start();
    while (done && !stop.stop_requested()) done = meter_.fetch();
    if (!done) error_ = done.error();
  });
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
