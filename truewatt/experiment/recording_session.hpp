#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/play.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::experiment {

struct SessionOptions {
  capture::PollOptions polling;
  std::optional<std::filesystem::path> out;  ///< run file
  store::Metadata metadata;                  ///< for the run file
  bool on_trial = false;                     ///< make_recorder()
  bool blind = false;                        ///< when what was played is not noted
  std::stop_token stop;
};

/// One recording of all devices of a set, from open() to finish(): what is played or run between
/// them is in it. The set must outlive it. One thread.
class Session {
 public:
  /// Makes the recorder and the capture; `add` may add the host's sensors to it. Errors: those of
  /// the run file.
  static Result<Session> open(devices::DeviceSet& set, const SessionOptions& options,
                              const std::function<void(capture::Capture&)>& add = {});

  capture::Capture& capture() { return *capture_; }
  capture::Recorder& recorder() { return *recorder_; }
  Clock& clock() { return *set_->clock; }

  /// Begins sampling; no source rests until the end. What rests now and then begins with the
  /// capture's attend() and start() instead.
  void start();
  /// Records until then.
  void record_until(HostTime until) { capture_->run_until(until, stop_); }
  /// Plays the schedule on every load, beginning at `begin`, while recording; on a virtual clock it
  /// is planned, and recorded by record_until(). Errors are those of the loads. `waiting` is
  /// called about ten times a second.
  Result<std::vector<load::Execution>> play(const std::vector<load::Load*>& loads,
                                            const load::Schedule& schedule, HostTime begin,
                                            const std::function<void()>& waiting = {});
  /// Plays each part's own schedule in the same way.
  Result<std::vector<load::Execution>> play(const std::vector<capture::Part>& parts, HostTime begin,
                                            const std::function<void()>& waiting = {});
  /// Plays and records until the last has ended.
  Result<std::vector<load::Execution>> play_out(const std::vector<capture::Part>& parts,
                                                HostTime begin,
                                                const std::function<void()>& waiting = {});
  /// Records idle behind what was played, ends sampling, and leaves what was done in the
  /// recordings.
  void settle(const std::vector<load::Execution>& executions, Nanoseconds idle);
  /// Ends sampling.
  void stop() { capture_->stop(); }

 private:
  Session() = default;

  devices::DeviceSet* set_ = nullptr;
  bool blind_ = false;
  std::stop_token stop_;
  std::unique_ptr<capture::Recorder> recorder_;
  std::unique_ptr<capture::Capture> capture_;
};

}  // namespace truewatt::experiment
