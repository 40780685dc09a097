#include "truewatt/analyze/remarks.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "truewatt/energy/estimate/window_results.hpp"
#include "truewatt/energy/observe/frozen_readings.hpp"
#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::analyze {
namespace {

/// A sensor that shows one number for long is stuck, or what it sees is.
std::optional<std::string> never_changes(const Trace& trace) {
  constexpr Seconds kLong(10.0);
  const Seconds length(trace.end - trace.begin);
  if (trace.samples.size() != 1 || counts_energy(trace.source) || length < kLong) {
    return std::nullopt;
  }
  return fmt::format(
      "{} shows {:.2f} W from first to last, {:.0f} s: the sensor is stuck, or the GPU did nothing",
      to_string(trace.source), trace.samples.front().value, length.count());
}

/// A source that showed one number while the GPU went from idle to work or back.
std::optional<std::string> stood_still(const Recording& recording, const Trace& trace) {
  const std::vector<Gap> frozen = energy::frozen_stretches(recording, trace);
  if (frozen.empty()) return std::nullopt;
  Seconds length{0};
  for (const Gap& one : frozen) length += Seconds(one.end - one.begin);
  return fmt::format(
      "{} shows one value through idle and work for {:.0f} s: it is stuck, and not used there",
      to_string(trace.source), length.count());
}

/// Readings that are left out are said.
std::optional<std::string> left_out(const Recording& recording, const Trace& trace) {
  const auto found = energy::impossible_readings(recording, trace);
  const std::size_t all = found.above + found.nothing;
  if (all == 0 || all == trace.samples.size()) return std::nullopt;
  std::string what;
  if (found.above > 0) {
    what = fmt::format("{} above {:.0f} W (up to {:.0f} W)", found.above, found.most_w,
                       found.highest_w);
  }
  if (found.nothing > 0) {
    what += fmt::format("{}{} of nothing", what.empty() ? "" : " and ", found.nothing);
  }
  return fmt::format(
      "of {} different readings of {} {} {} left out: this board does not draw that in use",
      trace.samples.size(), to_string(trace.source), what, all == 1 ? "is" : "are");
}

}  // namespace

void add_remarks(const Recording& recording, const Trace& trace, std::vector<std::string>& notes) {
  if (auto note = stood_still(recording, trace)) {
    notes.push_back(*std::move(note));
  } else if (auto other = never_changes(trace)) {
    notes.push_back(*std::move(other));
  }
  if (auto note = left_out(recording, trace)) notes.push_back(*std::move(note));
}

void add_remarks(const std::vector<Window>& windows, const std::vector<energy::LabelResult>& labels,
                 std::vector<std::string>& notes) {
  constexpr double kOverlap = 1e-6;  // s
  for (const energy::LabelResult& label : labels) {
    if (label.count < 2) continue;
    std::vector<Window> alike;
    double lengths = 0.0;
    for (const Window& window : windows) {
      if (window.label != label.label) continue;
      alike.push_back(window);
      lengths += seconds_between(window.begin, window.end);
    }
    if (lengths - energy::busy_of(alike) < kOverlap) continue;
    notes.push_back(fmt::format(
        "windows named '{}' overlap: their sum counts twice what two of them share", label.label));
  }
}

}  // namespace truewatt::analyze
