#include "truewatt/replication/yang/yang_update.hpp"

namespace truewatt::replication::yang {

std::vector<double> run_lengths(const Trace& trace, HostTime from, HostTime until) {
  std::vector<double> lengths;
  // The first sample is what the first poll found, not a change.
  for (std::size_t i = 2; i < trace.samples.size(); ++i) {
    const HostTime begin = trace.samples[i - 1].seen;
    const HostTime end = trace.samples[i].seen;
    if (begin >= from && end <= until) lengths.push_back(seconds_between(begin, end));
  }
  return lengths;
}

}  // namespace truewatt::replication::yang
