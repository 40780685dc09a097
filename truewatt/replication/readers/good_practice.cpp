#include "truewatt/replication/readers/good_practice.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/model/observation_model.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::replication {
namespace {

/// Rise time of the paper's RTX 3090 and of its A100 (section V-A).
constexpr Seconds kSlowRise{0.25};
constexpr Seconds kQuickRise{0.1};
/// Windows are known to some percent; the paper's cases are 0.25, 1 and 10.
constexpr double kSameAsPeriod = 0.1;

}  // namespace

GoodPractice good_practice(Seconds window, Seconds period) {
  const double share = window / period;
  if (share < 1 - kSameAsPeriod) {
    return {.period = period, .discard = kQuickRise, .delay = window};
  }
  const Seconds average = share > 1 + kSameAsPeriod ? window : Seconds(0);
  return {.period = period, .discard = kSlowRise + average, .late = period};
}

std::optional<GoodPractice> good_practice_of(const Profile* profile, SourceId source) {
  const SourceProfile* known = profile ? find_source(*profile, source) : nullptr;
  if (known == nullptr || !known->update_period_s) return std::nullopt;
  const Seconds period(known->update_period_s->value);
  double window = period.count();
  double lag = 0.0;
  if (known->fitted) {
    window = known->fitted->averaging_window_s.value;
    lag = known->fitted->time_constant_s.value;
  } else if (known->averaging_window_s) {
    window = known->averaging_window_s->value;
    if (known->time_constant_s) lag = known->time_constant_s->value;
  }
  const ObservationModel model{.averaging_window = Seconds(std::max(0.0, window)),
                               .time_constant = Seconds(std::max(0.0, lag))};
  return good_practice(equivalent_window(model), period);
}

std::optional<Joules> energy_of_execution(const Trace& trace,
                                          const std::vector<ExecutionGroup>& groups,
                                          const GoodPractice& practice) {
  double joules = 0.0;
  int count = 0;
  for (const ExecutionGroup& group : groups) {
    const Seconds once = Seconds(group.end - group.begin) / group.executions;
    const Seconds left = groups.front().begin + to_nanoseconds(practice.discard) - group.begin;
    const int skipped = std::max(0, static_cast<int>(std::ceil(left / once - 1e-9)));
    if (skipped >= group.executions) continue;
    const Nanoseconds late = to_nanoseconds(practice.late);
    const auto energy = trace::naive_energy(
        trace, {group.begin + to_nanoseconds(skipped * once) + late, group.end + late, ""});
    if (!energy) return std::nullopt;
    joules += energy->value();
    count += group.executions - skipped;
  }
  if (count == 0) return std::nullopt;
  return Joules(joules / count);
}

}  // namespace truewatt::replication
