#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/capture/attention.hpp"
#include "truewatt/capture/record.hpp"
#include "truewatt/capture/sample_sink.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::capture {

/// Puts records where they belong: into one Recording per device, and into the run file when there
/// is one. When writing fails (a full disk) the run goes on in memory, and the error is kept for
/// whoever asks. One thread at a time: the writer's, or the only one.
class Recorder {
 public:
  /// From so many samples and gaps of a source on, those far from the edges of windows are kept as
  /// sums: the joint estimate takes as many readings of all sources.
  static constexpr std::size_t kMostSamples = 100000;

  explicit Recorder(std::optional<store::RunFileWriter> file = std::nullopt,
                    std::size_t most_samples = kMostSamples);

  /// Devices are numbered from 0 in the order in which they are added.
  int add_device(const DeviceIdentity& device, std::span<const SourceId> sources);
  /// `edges`: the stretches in which every sample matters; what is far from all of them and old
  /// may be condensed. The run file keeps every sample. Without them, or null, nothing is.
  void keep_near(const Attention* edges) { edges_ = edges; }
  void apply(const Record& record);
  void add_window(int device, const Window& window);
  void add_activity(int device, const std::vector<ActivityInterval>& activity);
  void add_estimate(int device, const energy::EnergyEstimate& estimate);
  void add_curve(int device, std::span<const store::CurvePoint> curve);

  /// Of the run file alone.
  void add_metadata(const store::Metadata& metadata);

  /// What is recorded is worth replacing an earlier run file. From any thread, also while the
  /// writer is at work.
  void keep_file() {
    if (file_) file_->keep();
  }
  /// Commits what was written so far; call at least once a second.
  void commit();
  /// Closes the run file.
  void finish();

  const std::vector<Recording>& recordings() const { return recordings_; }
  /// Why the run file is not whole, if it is not.
  const std::optional<Error>& write_error() const { return error_; }

 private:
  void apply_to(Recording& recording, const Record& record);
  void write(const Record& record);
  void keep(const Result<void>& result);
  void condense_if_long(Trace& trace, std::size_t added);
  void thin_out_if_long(std::vector<HealthSample>& health);

  std::vector<Recording> recordings_;
  std::size_t most_samples_;
  const Attention* edges_ = nullptr;
  std::optional<store::RunFileWriter> file_;
  std::optional<Error> error_;
};

/// The sink of one device's sampler: wraps what it says into records for `deliver`.
class RecordSink : public SampleSink {
 public:
  using Deliver = std::function<void(Record)>;
  RecordSink(int device, Deliver deliver) : device_(device), deliver_(std::move(deliver)) {}

  void on_samples(SourceId source, std::span<const Sample> samples) override;
  void on_health(const HealthSample& health) override { deliver_({device_, health}); }
  void on_clock_pair(const ClockPair& pair) override { deliver_({device_, pair}); }
  void on_gap(SourceId source, const Gap& gap) override {
    deliver_({device_, SourceGap{source, gap}});
  }
  void on_event(const CaptureEvent& event) override { deliver_({device_, event}); }
  void on_polled(SourceId source, HostTime begin, HostTime end, std::uint64_t polls) override {
    deliver_({device_, SourcePolled{source, begin, end, polls}});
  }

 private:
  int device_;
  Deliver deliver_;
};

}  // namespace truewatt::capture
