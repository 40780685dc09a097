#include "truewatt/trace/formats/nvidia_smi/unnamed_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace truewatt::trace {
namespace {

/// No GPU or superchip module draws as much for half of a log, and no GPU so little.
constexpr double kMostWatts = 5000.0;
constexpr double kFewestWatts = 1.0;
/// A counter may add up to more: a log of bursts of a big module is far below.
constexpr double kMostCountedWatts = 10000.0;
/// Units are a thousand apart; power and counter of one board, seen at other times, are not.
constexpr double kApart = 30.0;

std::optional<double> median_watts(const Recording& recording) {
  for (const Trace& trace : recording.traces) {
    if (trace.source.kind == SourceKind::energy_counter || trace.source.scope != Scope::gpu) {
      continue;
    }
    std::vector<double> watts;
    for (const Sample& sample : trace.samples) watts.push_back(sample.value);
    if (watts.empty()) continue;
    const auto middle = watts.begin() + static_cast<std::ptrdiff_t>(watts.size() / 2);
    std::nth_element(watts.begin(), middle, watts.end());
    return *middle;
  }
  return std::nullopt;
}

/// What a counter adds up to, resets left out; nothing where it does not rise.
std::optional<double> counted_watts(const Trace& trace) {
  double joules = 0.0;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    joules += std::max(0.0, trace.samples[i].value - trace.samples[i - 1].value);
  }
  const double seconds = seconds_between(trace.begin, trace.end);
  if (!(joules > 0) || !(seconds > 0)) return std::nullopt;
  return joules / seconds;
}

std::string doubt_about_power(const LogColumn& column, const Recording& recording) {
  const auto watts = median_watts(recording);
  if (!watts || *watts <= kMostWatts) return "";
  return fmt::format(
      "{0} names no unit and is read in W: half of its values are above {1:.0f} W, which no GPU "
      "draws; if they are milliwatts, call the column {0} [mW]",
      column.title, kMostWatts);
}

/// A column that is named in milliwatts and holds watts.
std::string doubt_about_milliwatts(const LogColumn& column, const Recording& recording) {
  constexpr double kFewest = 0.5;  // W
  const auto watts = median_watts(recording);
  if (column.unit != "mW" || !watts || *watts >= kFewest) return "";
  return fmt::format(
      "{} is read in mW: half of its values are below {} W, which no GPU in use draws; if they are "
      "watts, call the column power_w",
      column.title, kFewest);
}

/// A counter rises from row to row, unless they are milliseconds apart, and falls where it is set
/// to zero.
std::string doubt_about_rising(const LogColumn& column, const Recording& recording) {
  constexpr double kOften = 0.1;
  constexpr double kStands = 0.25;
  constexpr double kApartSeconds = 0.5;
  const Trace* trace = find_trace(recording, *column.source);
  if (trace == nullptr) return "";
  std::size_t falls = 0;
  for (std::size_t i = 1; i < trace->samples.size(); ++i) {
    falls += trace->samples[i].value < trace->samples[i - 1].value ? 1 : 0;
  }
  const auto values = static_cast<double>(trace->samples.size());
  const auto rows = static_cast<double>(trace->polls);
  const bool stands = falls > 0 && values < kStands * rows &&
                      seconds_between(trace->begin, trace->end) > kApartSeconds * rows;
  if (static_cast<double>(falls) <= kOften * values && !stands) return "";
  return fmt::format(
      "{} stands and falls as the energy of each row would, and is read as the driver's count, "
      "which rises all the time; if it is the energy since the row before, write its sum up to "
      "each row",
      column.title);
}

bool names_millijoules(const std::string& title) {
  return title.ends_with("mj") || title.ends_with("mJ") || title.ends_with("MJ");
}

std::string doubt_about_energy(const LogColumn& column, const Recording& recording) {
  const Trace* trace = find_trace(recording, *column.source);
  const auto counted = trace == nullptr ? std::nullopt : counted_watts(*trace);
  if (!counted || names_millijoules(column.title)) return "";
  const double watts = median_watts(recording).value_or(0.0);
  const bool is_known = watts > 0 && watts <= kMostWatts;
  const double least = is_known ? watts / kApart : kFewestWatts;
  const double most = is_known ? watts * kApart : kMostCountedWatts;
  if (*counted >= least && *counted <= most) return "";
  return fmt::format(
      "{0} names no unit and is read in mJ: it adds up to {1:.2g} W{2}; if it is in another unit, "
      "name that in the header, as in {0} [J]",
      column.title, *counted,
      is_known ? fmt::format(", the power beside it is {:.3g} W", watts) : "");
}

std::string doubt_about(const LogColumn& column, const Recording& recording) {
  if (column.field != LogField::energy) {
    return column.unit.empty() ? doubt_about_power(column, recording)
                               : doubt_about_milliwatts(column, recording);
  }
  std::string doubt = doubt_about_rising(column, recording);
  if (doubt.empty() && column.unit.empty()) doubt = doubt_about_energy(column, recording);
  return doubt;
}

}  // namespace

std::vector<std::string> doubts_about_units(const std::vector<LogColumn>& columns,
                                            const PowerLog& log) {
  std::vector<std::string> doubts;
  for (const LogColumn& column : columns) {
    if (!column.source) continue;
    for (const Recording& recording : log.recordings) {
      if (column.gpu && *column.gpu != recording.device.index) continue;
      std::string doubt = doubt_about(column, recording);
      if (doubt.empty()) continue;
      doubts.push_back(std::move(doubt));
      break;
    }
  }
  return doubts;
}

}  // namespace truewatt::trace
