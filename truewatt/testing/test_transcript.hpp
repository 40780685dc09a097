#pragma once

#include <fmt/format.h>

#include <bit>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/store/run_file.hpp"

namespace truewatt::store {

/// Everything in a run file as text, numbers by their bits: equal texts are equal files.
class Transcript {
 public:
  void add(double value) { line(fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value))); }
  void add(std::int64_t value) { line(fmt::format("{}", value)); }
  void add(std::uint64_t value) { line(fmt::format("{}", value)); }
  void add(int value) { line(fmt::format("{}", value)); }
  void add(bool value) { line(value ? "true" : "false"); }
  void add(char value) { line(fmt::format("char {}", static_cast<int>(value))); }
  void add(const std::string& value) { line(fmt::format("{}:{}", value.size(), value)); }
  void add(Watts value) { add(value.value()); }
  void add(Joules value) { add(value.value()); }
  void add(Seconds value) { add(value.count()); }
  void add(SourceId value) { add(to_string(value)); }
  void add(HostTime value) { add(count_ns(value)); }
  void add(DriverTime value) { add(count_ns(value)); }
  void add(Nanoseconds value) { add(std::int64_t{value.count()}); }
  void add(energy::Reason value) { add(static_cast<int>(value)); }
  template <class T>
  void add(const std::optional<T>& value) {
    value ? add(*value) : line("absent");
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) add(value);
  }
  template <class T>
  void add(const std::map<std::string, T>& values) {
    for (const auto& [key, value] : values) all(key, value);
  }
  void add(const Sample& x) { all(x.before, x.seen, x.stamp, x.value, x.call); }
  void add(const Gap& x) { all(x.begin, x.end, x.cause); }
  void add(const Trace& x) { all(x.source, x.begin, x.end, x.samples, x.gaps, x.polls); }
  void add(const Window& x) { all(x.begin, x.end, x.label); }
  void add(const ActivityInterval& x) { all(x.begin, x.end, to_string(x.kind)); }
  void add(const ClockPair& x) { all(x.host, x.driver, x.width); }
  void add(const CaptureEvent& x) { all(x.time, x.kind.code(), x.message); }
  void add(const CurvePoint& x) { all(x.time, x.power); }
  void add(const HealthSample& x) {
    all(x.time, x.utilization_percent, x.p_state, x.temperature_c, x.sm_clock_mhz);
    all(x.memory_clock_mhz, x.memory_used_bytes, x.clocks_event_reasons);
  }
  void add(const DeviceIdentity& x) { all(x.index, x.name, x.uuid, x.pci, x.driver); }
  void add(const Recording& x) {
    all(x.device, x.traces, x.windows, x.activity, x.health, x.clock_pairs, x.events);
  }
  void add(const uncertainty::Term& x) { all(std::string(uncertainty::code_of(x.cause)), x.u); }
  void add(const energy::EnergyInterval& x) {
    all(x.interval.value, x.interval.lower, x.interval.upper, x.interval.level);
    all(x.standard_uncertainty, x.gain_uncertainty);
  }
  void add(const energy::ForeignTerm& x) { all(x.code, x.type, x.u); }
  void add(const energy::ScaleUncertainty& x) { all(x.gain, x.offset_w, x.correlation); }
  void add(energy::Reader value) { add(std::string(energy::to_string(value))); }
  void add(const energy::ReaderEnergy& x) { all(x.reader, x.source, x.energy, x.over); }
  void add(const energy::EnergyEstimate& x) {
    all(x.device, x.window, x.energy, x.net_energy, x.mean_power, x.baseline, x.source, x.sources);
    all(x.method.code(), x.observed_fraction, x.budget, x.naive_j, x.readers, x.truth, x.valid,
        x.resolved, x.reasons, x.needs);
    all(x.foreign.reasons, x.foreign.budget, x.scale);
    add(std::string(x.baseline_kind ? to_string(*x.baseline_kind) : ""));
    add(std::string(x.baseline_rung ? to_string(*x.baseline_rung) : ""));
  }
  void add(const DeviceRun& x) { all(x.recording, x.estimates, x.curve); }
  void add(const RunFile& x) { all(x.metadata, x.finished, x.devices); }

  const std::string& text() const { return text_; }

 private:
  template <class... Values>
  void all(const Values&... values) {
    (add(values), ...);
  }
  void line(std::string_view line) { text_.append(line).append("\n"); }
  std::string text_;
};

inline std::string transcript(const RunFile& file) {
  Transcript transcript;
  transcript.add(file);
  return transcript.text();
}

}  // namespace truewatt::store
