#include "truewatt/library/energy_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "truewatt/capture/capture.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/library/known_work.hpp"

namespace truewatt {
namespace {

/// Readings may wait so long for the thread that keeps them.
constexpr Nanoseconds kUnderWay = std::chrono::milliseconds(500);
/// Readings further from a window than this say nothing of it.
constexpr Nanoseconds kBeside = std::chrono::seconds(6);
/// Simulated devices begin their load so long after the start.
constexpr Nanoseconds kLoadAfter = std::chrono::milliseconds(20);

struct OpenedWindow {
  Window window;
  Work work = Work::unknown;
  bool open = true;
};

std::vector<std::string> split(const std::string& selectors) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < selectors.size();) {
    const std::size_t comma = std::min(selectors.find(',', at), selectors.size());
    if (comma > at) parts.push_back(selectors.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

devices::DeviceRequest request_of(const EnergyMeterOptions& options) {
  devices::DeviceRequest request{.selectors = split(options.devices),
                                 .pace = devices::Pace::real_time};
  if (!options.profile.empty()) request.profiles = {options.profile};
  request.calibrations.assign(options.calibrations.begin(), options.calibrations.end());
  return request;
}

std::optional<EnergyValue> value_of(const std::optional<energy::EnergyInterval>& energy) {
  if (!energy) return std::nullopt;
  return EnergyValue{energy->interval.value, energy->interval.lower, energy->interval.upper,
                     energy->standard_uncertainty};
}

WindowEnergy window_energy(const energy::EnergyEstimate& estimate, const Window& window) {
  WindowEnergy result{.label = window.label,
                      .device = estimate.device.name,
                      .uuid = estimate.device.uuid,
                      .window = estimate.window,
                      .energy = value_of(estimate.energy),
                      .net_energy = value_of(estimate.net_energy),
                      .source = estimate.source ? to_string(*estimate.source) : "",
                      .method = estimate.method.code(),
                      .valid = estimate.valid,
                      .resolved = estimate.resolved};
  if (estimate.baseline) result.baseline_w = estimate.baseline->value();
  for (const energy::Reason reason : estimate.reasons) {
    result.reasons.emplace_back(to_string(reason));
  }
  if (estimate.needs) result.needs_s = estimate.needs->count();
  return result;
}

/// The part of a trace that is about [from, until], with the value that stood at its begin.
Trace part_of(const Trace& whole, HostTime from, HostTime until) {
  const auto later = [](HostTime time, const Sample& sample) { return time < sample.seen; };
  auto first = std::upper_bound(whole.samples.begin(), whole.samples.end(), from, later);
  const auto last = std::upper_bound(first, whole.samples.end(), until, later);
  if (first != whole.samples.begin()) --first;
  Trace part{.source = whole.source,
             .begin = std::max(whole.begin, from),
             .end = std::min(whole.end, until),
             .samples = {first, last}};
  for (const CondensedStretch& sums : whole.condensed) {
    if (sums.end > from && sums.begin < until) part.condensed.push_back(sums);
  }
  for (const Gap& gap : whole.gaps) {
    if (gap.end > from && gap.begin < until) part.gaps.push_back(gap);
  }
  const Nanoseconds length = whole.end - whole.begin;
  if (length > Nanoseconds(0)) {
    part.polls = static_cast<std::uint64_t>(static_cast<double>(whole.polls) *
                                            (Seconds(part.end - part.begin) / Seconds(length)));
  }
  return part;
}

/// The part of a recording that is about the window.
Recording part_of(const Recording& whole, const Window& window) {
  Recording part{.device = whole.device,
                 .health = whole.health,
                 .clock_pairs = whole.clock_pairs,
                 .events = whole.events};
  for (const Trace& trace : whole.traces) {
    part.traces.push_back(part_of(trace, window.begin - kBeside, window.end + kBeside));
  }
  return part;
}

}  // namespace

struct EnergyMeter::State {
  State(devices::DeviceSet opened, EnergyMeterOptions wanted)
      : options(std::move(wanted)), set(std::move(opened)) {}

  EnergyMeterOptions options;
  devices::DeviceSet set;
  experiment::PreparedLoads loads;
  std::optional<experiment::Session> session;  // emplaced once, by start()
  mutable std::mutex mutex;                    // of `windows`
  std::vector<OpenedWindow> windows;
  bool stopped = false;  // nothing opens any more; under `mutex`
  std::mutex stopping;   // of the recordings, and of what stop() found
  std::optional<std::vector<WindowEnergy>> found;

  HostTime now() const { return set.clock->now(); }

  void attend(HostTime from, Nanoseconds length) { session->capture().attend(from, from + length); }

  std::vector<OpenedWindow> copy_of_windows() const {
    const std::scoped_lock lock(mutex);
    return windows;
  }

  /// Says what else the program told of its time.
  void note_windows(Recording& recording, const Window& window) const {
    std::vector<Window> steady;
    for (OpenedWindow one : copy_of_windows()) {
      if (one.open) one.window.end = now();
      if (one.window.end < window.begin - kBeside || one.window.begin > window.end + kBeside) {
        continue;
      }
      recording.windows.push_back(one.window);
      if (one.work == Work::steady) steady.push_back(one.window);
    }
    recording.activity = library::known_work(steady);
  }

  /// What was recorded so far, up to when nothing is under way any more. Under `stopping`.
  std::vector<Recording> recorded() {
    if (found) return session->recorder().recordings();
    std::vector<Recording> recordings = session->capture().so_far();
    const HostTime end = now() - kUnderWay;
    for (Recording& recording : recordings) {
      // A source that was asked until its end has said so.
      for (Trace& trace : recording.traces) {
        if (trace.polls > 0 || trace.samples.empty()) continue;
        trace.begin = trace.samples.front().before;
        trace.end = std::max(trace.begin, end);
      }
    }
    return recordings;
  }

  std::vector<WindowEnergy> energies(const std::vector<Recording>& recordings,
                                     const Window& window) const {
    std::vector<WindowEnergy> energies;
    for (std::size_t i = 0; i < set.devices.size(); ++i) {
      const devices::Device& device = set.devices[i];
      Recording recording = part_of(recordings[i], window);
      note_windows(recording, window);
      const auto estimate = energy::estimate_energy(recording, window, device.knowledge(),
                                                    {.resolve = options.resolve});
      energies.push_back(window_energy(estimate, window));
      if (device.simulated == nullptr) continue;
      energies.back().truth_j = device.simulated->true_energy(
          seconds_between(set.origin, window.begin), seconds_between(set.origin, window.end));
    }
    return energies;
  }

  void wait_for_tail(HostTime end) const {
    set.clock->sleep_until(end + std::chrono::duration_cast<Nanoseconds>(options.tail) + kUnderWay);
  }

  std::vector<WindowEnergy> stop() {
    const std::scoped_lock lock(stopping);
    if (found) return *found;
    const HostTime last = close_all();
    if (last > set.origin) wait_for_tail(last);
    session->stop();
    found.emplace();
    for (const OpenedWindow& one : copy_of_windows()) {
      const auto energies_of_one = energies(session->recorder().recordings(), one.window);
      found->insert(found->end(), energies_of_one.begin(), energies_of_one.end());
    }
    return *found;
  }

  /// Closes what is open, for good; when the last of all windows ended.
  HostTime close_all() {
    {
      const std::scoped_lock lock(mutex);
      stopped = true;
    }
    HostTime last = set.origin;
    const std::size_t count = copy_of_windows().size();
    for (std::size_t i = 0; i < count; ++i) last = std::max(last, close(i));
    return last;
  }

  /// Closes a window that is open; when it ended.
  HostTime close(WindowId id) {
    const std::scoped_lock lock(mutex);
    if (id >= windows.size()) return set.origin;
    OpenedWindow& one = windows[id];
    if (!one.open) return one.window.end;
    one.window.end = now();
    one.open = false;
    attend(one.window.end, std::chrono::duration_cast<Nanoseconds>(options.tail));
    return one.window.end;
  }
};

EnergyMeter::EnergyMeter(std::unique_ptr<State> state) : state_(std::move(state)) {}
EnergyMeter::EnergyMeter(EnergyMeter&&) noexcept = default;
EnergyMeter& EnergyMeter::operator=(EnergyMeter&&) noexcept = default;
EnergyMeter::~EnergyMeter() = default;

Result<EnergyMeter> EnergyMeter::start(const EnergyMeterOptions& options) {
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(request_of(options), env);
  if (!set) return Unexpected(set.error());
  auto state = std::make_unique<State>(std::move(*set), options);
  if (!options.simulated_load.empty()) {
    if (!state->set.simulated()) {
      return Unexpected(Errc::invalid_argument,
                        "simulated_load: this is a real device; leave it empty");
    }
    const auto schedule = load::parse_schedule(options.simulated_load, 1);
    if (!schedule) return Unexpected(schedule.error());
    auto loads = experiment::prepare_loads(state->set, *schedule, env, {});
    if (!loads) return Unexpected(loads.error());
    state->loads = std::move(*loads);
    for (load::Load* load : state->loads.all) {
      const auto played = load->play(*schedule, state->now() + kLoadAfter, {});
      if (!played) return Unexpected(played.error());
    }
  }
  auto session = experiment::Session::open(state->set, {});
  if (!session) return Unexpected(session.error());
  state->session.emplace(std::move(*session));
  state->attend(state->now(), capture::kAttendAtFirst);
  state->session->capture().start();
  return EnergyMeter(std::move(state));
}

EnergyMeter::WindowId EnergyMeter::begin(std::string label, Work work) {
  const std::scoped_lock lock(state_->mutex);
  const HostTime now = state_->now();
  state_->attend(now, capture::kAttendAtFirst);
  state_->windows.push_back({{now, now, std::move(label)}, work, !state_->stopped});
  return state_->windows.size() - 1;
}

void EnergyMeter::end(WindowId window) { state_->close(window); }

Result<std::vector<WindowEnergy>> EnergyMeter::energy(WindowId window) {
  const auto windows = state_->copy_of_windows();
  if (window >= windows.size()) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("there is no window {}; begin() returns its number", window));
  }
  const OpenedWindow& one = windows[window];
  if (one.open) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("the window `{}` is open: end() it first", one.window.label));
  }
  state_->wait_for_tail(one.window.end);
  const std::scoped_lock lock(state_->stopping);
  return state_->energies(state_->recorded(), one.window);
}

std::vector<WindowEnergy> EnergyMeter::stop() { return state_->stop(); }

std::vector<std::string> EnergyMeter::notes() const { return state_->set.notes; }

}  // namespace truewatt
