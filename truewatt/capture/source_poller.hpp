#pragma once

#include <optional>
#include <random>
#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/model/tick_tracker.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::capture {

/// How often sources are asked.
enum class PollMode {
  ticks,   ///< around predicted publications; expensive sources rest between edges (default)
  every,   ///< around every predicted publication, whatever it costs
  max,     ///< as fast as they answer (Burtscher, Zecena, Zong 2014, section 4.1)
  evenly,  ///< every PollOptions::even, whenever they publish
};

/// Tuning of polling. The defaults keep the cost of a whole device below a percent of a core.
struct PollOptions {
  PollMode mode = PollMode::ticks;
  Nanoseconds fine = std::chrono::microseconds(400);    ///< between polls near a tick
  Nanoseconds learning = std::chrono::milliseconds(1);  ///< between polls while the tick is unknown
  /// Calls that take longer than this are expensive: two a tick, never in a tight row.
  Nanoseconds expensive = std::chrono::microseconds(500);
  /// Share of a core that the expensive power sources of one device may spend in the driver,
  /// together, where no window begins or ends.
  double expensive_share = 0.0015;
  /// The same of expensive energy counters, which are read at one tick a second at most.
  double counter_share = 0.005;
  /// In mode max, between polls of a source that answers in no time at all (virtual clocks).
  Nanoseconds fastest = std::chrono::microseconds(200);
  Nanoseconds even = std::chrono::milliseconds(20);  ///< in mode evenly, between polls
  /// Every look at the device's health is stored, not only changes and one a second.
  bool all_health = false;
};

/// Decides when to ask one source next, and turns its answers into samples with brackets. A pure
/// state machine over times that it is told; one thread.
///
/// Tight polling of every source would cost a core (an H200's counter takes 2-3 ms a call). So the
/// tick is learned by even polling first; then the source is asked once just before the predicted
/// publication and finely from then until the new value shows; these looks are shifted at
/// random from tick to tick, so that where a tick lies in its bracket averages out: by as much as
/// the calls differ in length where they are expensive, else by the time between fine looks. A tick
/// without a new value (an equal one was published) is waited for until its guard has passed.
/// Values that change off the grid send it back to learning. A source may be sent to rest after a
/// tick; the first look after that does not say when its value was published.
class SourcePoller {
 public:
  SourcePoller(SourceId source, const PollOptions& options);

  SourceId source() const { return source_; }
  /// When it was asked last, of the times that it answered.
  HostTime last_look() const { return last_begin_; }
  /// When to ask next; at once before the first answer.
  HostTime next_poll() const { return next_poll_; }
  /// The source answered `value` to a call from `begin` to `end`. Returns the sample that this
  /// completes, if it does. A refresh that shows one value and right after it another (client
  /// caches do) is one sample: the first's time, the second's value.
  std::optional<Sample> on_value(HostTime begin, HostTime end, double value);
  /// The call failed; asks again after a while. Returns the sample that waited for confirmation.
  std::optional<Sample> on_failure(HostTime begin, HostTime end);
  /// The sample that still waits for its confirmation, at the end of the capture.
  std::optional<Sample> flush();

  /// True when the last answer ended its search for a tick: the moment to rest.
  bool is_between_ticks() const { return between_ticks_; }
  /// Time that the calls for one tick take, as a rule. An exception (a busy machine) hardly counts.
  Nanoseconds tick_cost() const { return tick_cost_; }
  /// Leaves the source alone until the first predicted tick after `until`.
  void rest_until(HostTime until);
  /// Ends a rest early: asks for what is shown now, then goes for the next tick.
  void wake(HostTime now);
  /// Begin of the last call before the rest that goes on; nothing while it does not rest.
  std::optional<HostTime> resting_since() const;

  std::optional<Seconds> period() const { return tracker_.period(); }
  std::uint64_t polls() const { return polls_; }

 private:
  void plan_after_rest(HostTime end);
  void plan_after_change(HostTime end);
  void plan_after_repeat(HostTime end);
  void plan_after_miss(HostTime end);
  void end_search();
  HostTime approach(HostTime end) const;
  Nanoseconds learning_step(HostTime end) const;
  bool is_expensive() const;
  bool is_even() const;

  SourceId source_;
  PollOptions options_;
  TickTracker tracker_;
  HostTime next_poll_;
  std::optional<double> value_;  // shown by the last answer
  HostTime last_begin_;          // begin of the last call that answered
  HostTime last_change_;
  Nanoseconds bracket_{0};         // in which the last change was seen ...
  bool early_ = false;             // ... by the look before its tick
  std::optional<Sample> pending_;  // change seen, not confirmed yet
  std::optional<TickPrediction> expected_;
  Nanoseconds call_time_{0};     // of a typical call, smoothed
  Nanoseconds longest_call_{0};  // of the last dozens, hardly of exceptions
  std::minstd_rand random_;      // the same shifts in every run
  Nanoseconds dither_{0};        // by which the looks for the next tick come early
  Nanoseconds spent_{0};         // on the search for a tick that goes on
  Nanoseconds tick_cost_{0};     // of a typical search, smoothed
  bool between_ticks_ = false;
  bool resting_ = false;
  bool loose_ = false;  // pending_ was seen at the end of a rest
  int missed_ = 0;      // ticks in a row without a new value
  std::uint64_t polls_ = 0;
};

}  // namespace truewatt::capture
