#include "truewatt/idle/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/idle/rows.hpp"
#include "truewatt/idle/stretches.hpp"
#include "truewatt/kernels/sleeping.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::idle {
namespace {

/// Stretches at the full budget; a shorter one shortens all alike. Together 52 s: the rest is for
/// what opening the device, making the context and compiling take.
constexpr Seconds kBareBefore{7};
constexpr Seconds kContextBefore{8};
constexpr Seconds kKernel{4};
constexpr Seconds kBetween{3};
constexpr Seconds kContextAfter{10};
constexpr Seconds kBareAfter{8};
/// From the call that plays until the schedule begins. A simulated context exists for a second of
/// it.
constexpr Seconds kLead{1.2};
constexpr double kBytesOfGiB = 1073741824.0;

/// What runs, in two rounds; without the sleeping threads where the device has none.
class Kernels {
 public:
  Result<void> compile(load::Load& load) {
    spinning_ = microbenchmark::make_spin();
    if (const auto made = load.compile(spinning_); !made) return Unexpected(made.error());
    auto sleeping = kernels::make_sleeping();
    const auto made = load.compile(sleeping);
    if (made) sleeping_ = std::move(sleeping);
    if (!made && made.error().code != Errc::unsupported) return Unexpected(made.error());
    if (!made) refusal_ = made.error().message;
    return {};
  }
  Rung rung_of(const kernels::Kernel* kernel) const {
    return kernel == spinning_.get() ? Rung::spinning : Rung::resident;
  }
  const std::optional<std::string>& refusal() const { return refusal_; }

  load::Schedule schedule(double scale) const {
    load::Schedule schedule{{}, Seconds(0), "characterize --idle"};
    const auto add = [&](std::shared_ptr<const kernels::Kernel> kernel, Seconds length) {
      const double level = kernel != nullptr ? 1.0 : 0.0;
      schedule.steps.push_back({schedule.duration, level, std::move(kernel)});
      schedule.duration += scale * length;
    };
    add(nullptr, kContextBefore);
    if (sleeping_) add(sleeping_, kKernel);
    add(spinning_, kKernel);
    add(nullptr, kBetween);
    if (sleeping_) add(sleeping_, kKernel);
    add(spinning_, kKernel);
    add(nullptr, kContextAfter);
    return schedule;
  }

 private:
  std::shared_ptr<const kernels::Kernel> spinning_;
  std::shared_ptr<const kernels::Kernel> sleeping_;
  std::optional<std::string> refusal_;
};

class Climb {
 public:
  Climb(devices::DeviceSet& set, const devices::Environment& environment, const Options& options)
      : set_(set),
        environment_(environment),
        options_(options),
        scale_(options.budget / kLongestBudget),
        began_(set.clock->now()) {
    ladder_.device = set.devices.front().sensor->device();
    ladder_.start = set.clock->realtime_now();
    ladder_.tool_version = TRUEWATT_VERSION;
    ladder_.notes = set.notes;
  }

  Result<Ladder> climb() {
    // No context yet; a device that cannot run anything says so before anybody waits.
    auto load = devices::make_load(set_, set_.devices.front(), environment_);
    if (!load) return Unexpected(load.error());
    experiment::SessionOptions recorded{.polling = options_.polling,
                                        .out = options_.out,
                                        .metadata = options_.metadata,
                                        .stop = options_.stop};
    recorded.polling.all_health = true;
    auto session = experiment::Session::open(set_, recorded);
    if (!session) return Unexpected(session.error());
    session->capture().attend(now(), HostTime::max());
    session->capture().start();
    stand_bare(*session, kBareBefore, false);
    if (!stopped()) {
      if (auto played = play(*session, **load); !played) return Unexpected(played.error());
    }
    load->reset();
    finish(*session);
    return conclude(session->recorder().recordings().front());
  }

 private:
  HostTime now() const { return set_.clock->now(); }
  bool stopped() const { return options_.stop.stop_requested(); }
  void say(double share, const std::string& what) const {
    experiment::say(options_.progress, share, what);
  }

  void stand_bare(experiment::Session& session, Seconds length, bool reached) {
    say(reached ? 0.87 : 0.0, "without a context");
    const HostTime begin = now();
    session.record_until(begin + to_nanoseconds(scale_ * length));
    stretches_.push_back({Rung::bare, {begin, now()}, reached});
  }

  /// All that needs a context, which the load makes and keeps.
  Result<void> play(experiment::Session& session, load::Load& load) {
    say(0.13, "making a context");
    if (auto compiled = kernels_.compile(load); !compiled) return compiled;
    const load::Schedule schedule = kernels_.schedule(scale_);
    if (auto ready = load.prepare(schedule); !ready) return ready;
    const HostTime ready = now();
    say(0.16, "with a context, resident, spinning, at rest again");
    auto played = session.play({&load}, schedule, ready + to_nanoseconds(kLead));
    if (!played) return Unexpected(played.error());
    executions_ = std::move(*played);
    const load::Execution& execution = executions_.front();
    session.record_until(execution.end);
    note_stretches(execution, ready);
    return {};
  }

  void note_stretches(const load::Execution& execution, HostTime ready) {
    const auto& runs = execution.kernels;
    const HostTime first = runs.empty() ? execution.end : runs.front().span.begin;
    stretches_.push_back({Rung::context, {ready, first}});
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const HostSpan& span = runs[i].span;
      stretches_.push_back({kernels_.rung_of(runs[i].kernel), span});
      const bool is_last = i + 1 == runs.size();
      const HostTime next = is_last ? execution.end : runs[i + 1].span.begin;
      if (Seconds(next - span.end) < scale_ * kBetween / 2) continue;
      stretches_.push_back({Rung::active, {span.end, next}, is_last});
      if (is_last) stretches_.push_back({Rung::context, {span.end, next}, false});
    }
  }

  void finish(experiment::Session& session) {
    if (!stopped()) stand_bare(session, kBareAfter, true);
    if (executions_.empty()) {
      session.stop();
    } else {
      session.settle(executions_, now() - executions_.front().end);
    }
    forget_what_had_no_turn();
    for (const Stretch& one : stretches_) {
      session.recorder().add_window(
          0, {one.span.begin, one.span.end, std::string(to_string(one.rung))});
    }
    session.recorder().finish();
    if (const auto& error = session.recorder().write_error()) {
      ladder_.notes.push_back(error->message);
    }
    say(1.0, "computing");
  }

  /// A simulated load knows what it would have done had nobody stopped it.
  void forget_what_had_no_turn() {
    std::erase_if(stretches_, [&](const Stretch& one) { return one.span.begin >= now(); });
    for (Stretch& one : stretches_) one.span.end = std::min(one.span.end, now());
  }

  Ladder conclude(Recording recording) {
    // Work in steady stretches is evidence of what readings show only beside a known sensor.
    const devices::Device& device = set_.devices.front();
    if (!device.known.profile) recording.activity.clear();
    const auto knowledge = device.knowledge();
    const auto seen = look_at(recording, knowledge, options_.estimate, stretches_);
    ladder_.rows = rows_of(seen);
    if (kernels_.refusal()) tell_of_sleep();
    if (is_busy_with_others(seen)) {
      tell_of_work();
    } else if (is_held_by_others(seen)) {
      tell_of_others();
    }
    ladder_.calibrated = !knowledge.calibrations.empty();
    ladder_.interrupted = stopped();
    ladder_.took = Seconds(now() - began_);
    return std::move(ladder_);
  }

  void tell_of_sleep() {
    for (Row& row : ladder_.rows) {
      if (row.rung == Rung::resident) row.reasons = {Reason::cannot_sleep};
    }
    ladder_.notes.push_back("resident was left out: " + *kernels_.refusal());
  }

  /// Nothing that was seen is then this device's idle.
  void tell_of_work() {
    ladder_.notes.emplace_back(
        "another process worked on the device meanwhile: no rung is its idle; measure when it is "
        "free");
    for (Row& row : ladder_.rows) {
      if (!row.power_w) continue;
      row.power_w.reset();
      row.against_meter_w.reset();
      row.above_context_w.reset();
      row.reasons.insert(row.reasons.begin(), Reason::other_work);
    }
  }

  /// What is called bare is then some other process's idle, and has no number.
  void tell_of_others() {
    for (Row& row : ladder_.rows) {
      if (row.rung != Rung::bare || !row.power_w) continue;
      std::string seen = fmt::format("{:.1f} W", row.power_w->value);
      if (row.seen.sm_clock_hz) seen += fmt::format(", {:.0f} MHz", *row.seen.sm_clock_hz / 1e6);
      if (row.seen.memory_used_bytes) {
        seen += fmt::format(", {:.2g} GiB in use", *row.seen.memory_used_bytes / kBytesOfGiB);
      }
      ladder_.notes.push_back(fmt::format(
          "another process seems to hold a context, so that bare idle cannot be seen; before this "
          "process had one: {}",
          seen));
      row.power_w.reset();
      row.against_meter_w.reset();
      row.above_context_w.reset();
      row.reasons.insert(row.reasons.begin(), Reason::other_context);
    }
  }

  devices::DeviceSet& set_;
  const devices::Environment& environment_;
  const Options& options_;
  double scale_;
  HostTime began_;
  Kernels kernels_;
  std::vector<Stretch> stretches_;
  std::vector<load::Execution> executions_;
  Ladder ladder_;
};

}  // namespace

Result<Ladder> climb(devices::DeviceSet& set, const devices::Environment& environment,
                     const Options& options) {
  if (set.devices.size() != 1) {
    return Unexpected(Errc::invalid_argument,
                      "idle is measured on one device at a time; name it with --device");
  }
  return Climb(set, environment, options).climb();
}

}  // namespace truewatt::idle
