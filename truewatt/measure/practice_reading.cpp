#include "truewatt/measure/practice_reading.hpp"

#include <algorithm>

#include "truewatt/measure/phase_spread.hpp"
#include "truewatt/replication/readers/readers.hpp"

namespace truewatt::measure {

replication::GoodPractice practice_for(const devices::Device& device) {
  for (const SourceKind kind : kKindsPolled) {
    const SourceId source{kind, Scope::gpu};
    const auto& all = device.sensor->sources();
    const bool there = std::any_of(all.begin(), all.end(), [source](const auto& status) {
      return status.source == source && status.answers();
    });
    if (!there) continue;
    if (const auto known = replication::good_practice_of(device.known.any(), source)) return *known;
    break;
  }
  std::vector<Seconds> periods = periods_of(device.known.any());
  if (periods.empty()) periods.push_back(kUsualPeriod);
  const Seconds longest = *std::max_element(periods.begin(), periods.end());
  return replication::good_practice(longest, longest);
}

energy::ReaderEnergy read_by_practice(const Recording& recording, const RepetitionDesign& design,
                                      Seconds execution, int executions,
                                      const replication::GoodPractice& practice) {
  energy::ReaderEnergy reader{.reader = energy::Reader::yang, .over = executions * execution};
  const Trace* trace = replication::trace_to_read(recording);
  if (trace == nullptr) return reader;
  reader.source = trace->source;
  auto groups = groups_of(design, execution, executions, recording.windows.front().begin);
  // Where each is one stretch of work, when that ran.
  const bool known = recording.activity.size() == groups.size();
  for (std::size_t i = 0; known && i < groups.size(); ++i) {
    groups[i].begin = recording.activity[i].begin;
    groups[i].end = recording.activity[i].end;
  }
  reader.over = Seconds(0);
  for (const auto& group : groups) reader.over += Seconds(group.end - group.begin);
  const auto one = replication::energy_of_execution(*trace, groups, practice);
  if (one) reader.energy = *one * executions;
  return reader;
}

}  // namespace truewatt::measure
