#include "truewatt/capture/recorder.hpp"

#include <algorithm>

#include "truewatt/trace/condense.hpp"

namespace truewatt::capture {
namespace {

/// Of a second each: more than an hour of them tells of a day.
constexpr std::size_t kMostHealth = 4096;

Trace& trace_of(Recording& recording, SourceId source) {
  for (Trace& trace : recording.traces) {
    if (trace.source == source) return trace;
  }
  recording.traces.push_back({.source = source});
  return recording.traces.back();
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

Recorder::Recorder(std::optional<store::RunFileWriter> file, std::size_t most_samples)
    : most_samples_(most_samples), file_(std::move(file)) {}

int Recorder::add_device(const DeviceIdentity& device, std::span<const SourceId> sources) {
  Recording recording{.device = device};
  for (const SourceId source : sources) recording.traces.push_back({.source = source});
  recordings_.push_back(std::move(recording));
  if (file_ && !error_) {
    const auto added = file_->add_device(device, sources);
    if (!added) error_ = added.error();
  }
  return static_cast<int>(recordings_.size()) - 1;
}

void Recorder::apply(const Record& record) {
  apply_to(recordings_[static_cast<std::size_t>(record.device)], record);
  if (file_ && !error_) write(record);
}

void Recorder::apply_to(Recording& recording, const Record& record) {
  std::visit(Overloaded{
                 [&](const SampleBatch& batch) {
                   Trace& trace = trace_of(recording, batch.source);
                   trace.samples.insert(trace.samples.end(), batch.samples.begin(),
                                        batch.samples.end());
                   condense_if_long(trace, batch.samples.size());
                 },
                 [&](const HealthSample& health) {
                   recording.health.push_back(health);
                   thin_out_if_long(recording.health);
                 },
                 [&](const ClockPair& pair) { recording.clock_pairs.push_back(pair); },
                 [&](const SourceGap& gap) {
                   Trace& trace = trace_of(recording, gap.source);
                   trace.gaps.push_back(gap.gap);
                   condense_if_long(trace, 1);
                 },
                 [&](const CaptureEvent& event) { recording.events.push_back(event); },
                 [&](const SourcePolled& polled) {
                   Trace& trace = trace_of(recording, polled.source);
                   trace.begin = polled.begin;
                   // A sample ring tells of the time before anybody asked.
                   if (!trace.samples.empty()) {
                     trace.begin = std::min(trace.begin, trace.samples.front().before);
                   }
                   trace.end = polled.end;
                   trace.polls = polled.polls;
                 },
             },
             record.what);
}

/// Looks every so many samples and gaps, of which `added` are new.
void Recorder::condense_if_long(Trace& trace, std::size_t added) {
  const std::size_t step = most_samples_ / 4;
  const std::size_t now = trace.samples.size() + trace.gaps.size();
  if (edges_ == nullptr || trace.samples.empty()) return;
  if (now < most_samples_ || now / step == (now - added) / step) return;
  far_from(edges_->spans(), trace.samples.front().seen, trace.samples.back().seen,
           [&](HostTime from, HostTime to) { condense(trace, from, to); });
}

void Recorder::thin_out_if_long(std::vector<HealthSample>& health) {
  if (edges_ == nullptr || health.size() < kMostHealth || health.size() % (kMostHealth / 4) != 0) {
    return;
  }
  far_from(edges_->spans(), health.front().time, health.back().time,
           [&](HostTime from, HostTime to) { thin_out(health, from, to); });
}

void Recorder::write(const Record& record) {
  const int device = record.device;
  std::visit(
      Overloaded{
          [&](const SampleBatch& batch) {
            keep(file_->append(device, batch.source, batch.samples));
          },
          [&](const SourceGap& gap) { keep(file_->append(device, gap.source, gap.gap)); },
          [&](const SourcePolled& polled) {
            const Trace& trace =
                trace_of(recordings_[static_cast<std::size_t>(device)], polled.source);
            keep(file_->set_polls(device, polled.source, trace.begin, trace.end, trace.polls));
          },
          [&](const auto& row) { keep(file_->append(device, row)); },
      },
      record.what);
}

void Recorder::add_window(int device, const Window& window) {
  recordings_[static_cast<std::size_t>(device)].windows.push_back(window);
  if (file_ && !error_) keep(file_->append(device, window));
}

void Recorder::add_activity(int device, const std::vector<ActivityInterval>& activity) {
  auto& known = recordings_[static_cast<std::size_t>(device)].activity;
  known.insert(known.end(), activity.begin(), activity.end());
  for (const ActivityInterval& interval : activity) {
    if (file_ && !error_) keep(file_->append(device, interval));
  }
}

void Recorder::add_estimate(int device, const energy::EnergyEstimate& estimate) {
  if (file_ && !error_) keep(file_->append_estimate(device, estimate));
}

void Recorder::add_curve(int device, std::span<const store::CurvePoint> curve) {
  if (file_ && !error_) keep(file_->append_curve(device, curve));
}

void Recorder::add_metadata(const store::Metadata& metadata) {
  for (const auto& [key, value] : metadata) {
    if (file_ && !error_) keep(file_->put_metadata(key, value));
  }
}

void Recorder::commit() {
  if (file_ && !error_) keep(file_->commit());
}

void Recorder::finish() {
  if (file_ && !error_) keep(file_->finish());
}

void Recorder::keep(const Result<void>& result) {
  if (!result && !error_) error_ = result.error();
}

void RecordSink::on_samples(SourceId source, std::span<const Sample> samples) {
  deliver_({device_, SampleBatch{source, {samples.begin(), samples.end()}}});
}

}  // namespace truewatt::capture
