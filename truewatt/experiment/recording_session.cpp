#include "truewatt/experiment/recording_session.hpp"

#include <algorithm>

#include "truewatt/capture/play.hpp"

namespace truewatt::experiment {

Result<Session> Session::open(devices::DeviceSet& set, const SessionOptions& options,
                              const std::function<void(capture::Capture&)>& add) {
  auto recorder = make_recorder(options.out, options.metadata, set.clock->is_virtual());
  if (!recorder) return Unexpected(recorder.error());
  Session session;
  session.set_ = &set;
  session.stop_ = options.stop;
  session.recorder_ = std::make_unique<capture::Recorder>(std::move(*recorder));
  session.capture_ = std::make_unique<capture::Capture>(sensors_of(set), *set.clock,
                                                        *session.recorder_, options.polling);
  keep_devices(set, *session.capture_);
  if (add) add(*session.capture_);
  return session;
}

Result<std::vector<load::Execution>> Session::play(const std::vector<load::Load*>& loads,
                                                   const load::Schedule& schedule, HostTime begin,
                                                   const std::function<void()>& waiting) {
  auto played = capture::play_together(loads, schedule, begin, *set_->clock, stop_, waiting);
  std::vector<load::Execution> executions;
  for (auto& one : played) {
    if (!one) return Unexpected(one.error());
    executions.push_back(std::move(*one));
  }
  return executions;
}

void Session::settle(const std::vector<load::Execution>& executions, Nanoseconds idle) {
  HostTime end = executions.front().end;
  for (const load::Execution& one : executions) end = std::max(end, one.end);
  set_->idle_since = end;
  record_until(end + idle);
  stop();
  for (std::size_t i = 0; i < executions.size(); ++i) {
    recorder_->add_activity(static_cast<int>(i), executions[i].activity);
  }
}

}  // namespace truewatt::experiment
