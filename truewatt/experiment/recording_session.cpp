#include "truewatt/experiment/recording_session.hpp"

#include <algorithm>

namespace truewatt::experiment {
namespace {

/// When the last of them ended.
HostTime end_of(const std::vector<load::Execution>& executions) {
  HostTime end = executions.front().end;
  for (const load::Execution& one : executions) end = std::max(end, one.end);
  return end;
}

}  // namespace

Result<Session> Session::open(devices::DeviceSet& set, const SessionOptions& options,
                              const std::function<void(capture::Capture&)>& add) {
  auto recorder =
      make_recorder(options.out, options.metadata, set.clock->is_virtual(), options.on_trial);
  if (!recorder) return Unexpected(recorder.error());
  Session session;
  session.set_ = &set;
  session.blind_ = options.blind;
  session.stop_ = options.stop;
  session.recorder_ = std::make_unique<capture::Recorder>(std::move(*recorder));
  session.capture_ = std::make_unique<capture::Capture>(sensors_of(set), *set.clock,
                                                        *session.recorder_, options.polling);
  keep_devices(set, *session.capture_);
  if (add) add(*session.capture_);
  return session;
}

void Session::start() {
  capture_->attend(clock().now(), HostTime::max());
  capture_->start();
}

Result<std::vector<load::Execution>> Session::play(const std::vector<load::Load*>& loads,
                                                   const load::Schedule& schedule, HostTime begin,
                                                   const std::function<void()>& waiting) {
  std::vector<capture::Part> parts;
  for (load::Load* load : loads) parts.push_back({load, &schedule});
  return play(parts, begin, waiting);
}

Result<std::vector<load::Execution>> Session::play(const std::vector<capture::Part>& parts,
                                                   HostTime begin,
                                                   const std::function<void()>& waiting) {
  auto played = capture::play_together(parts, begin, clock(), stop_, waiting);
  std::vector<load::Execution> executions;
  for (auto& one : played) {
    if (!one) return Unexpected(one.error());
    executions.push_back(std::move(*one));
  }
  return executions;
}

Result<std::vector<load::Execution>> Session::play_out(const std::vector<capture::Part>& parts,
                                                       HostTime begin,
                                                       const std::function<void()>& waiting) {
  auto executions = play(parts, begin, waiting);
  if (executions) record_until(end_of(*executions));
  return executions;
}

void Session::settle(const std::vector<load::Execution>& executions, Nanoseconds idle) {
  const HostTime end = end_of(executions);
  set_->idle_since = end;
  record_until(end + idle);
  stop();
  if (blind_) return;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    recorder_->add_activity(static_cast<int>(i), executions[i].activity);
  }
}

}  // namespace truewatt::experiment
