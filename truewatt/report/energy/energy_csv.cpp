#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "truewatt/report/energy/energy_text.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;
using Fields = std::vector<std::string>;

std::string field(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
std::string field(Watts value) { return field(value.value()); }
std::string field(Joules value) { return field(value.value()); }
std::string field(Seconds value) { return field(value.count()); }
std::string field(SourceId value) { return to_string(value); }
std::string field(bool value) { return value ? "1" : "0"; }
template <class T>
std::string field(const std::optional<T>& value) {
  return value ? field(*value) : "";
}

std::string quoted(const std::string& text, std::string_view separator) {
  const bool as_is = text.find_first_of("\"\r\n") == std::string::npos &&
                     (separator.empty() || text.find(separator) == std::string::npos);
  if (as_is) return text;
  std::string quote = "\"";
  for (const char c : text) quote.append(c == '"' ? 2 : 1, c);
  return quote + "\"";
}

std::string line_of(const Fields& fields, std::string_view separator) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += separator;
    line += quoted(fields[i], separator);
  }
  return line + "\n";
}

void append(Fields& fields, const std::optional<energy::EnergyInterval>& energy) {
  if (!energy) {
    fields.resize(fields.size() + 4);
    return;
  }
  fields.push_back(field(energy->interval.value));
  fields.push_back(field(energy->interval.lower));
  fields.push_back(field(energy->interval.upper));
  fields.push_back(field(energy->standard_uncertainty));
}

std::string codes(const std::vector<energy::Reason>& reasons) {
  std::string text;
  for (const energy::Reason reason : reasons) {
    text.append(text.empty() ? "" : " ").append(energy::to_string(reason));
  }
  return text;
}

std::set<std::string> naive_sources(const measure::EnergyRun& run) {
  std::set<std::string> sources;
  for (const EnergyEstimate& estimate : run.devices) {
    for (const auto& [source, joules] : estimate.naive_j) sources.insert(source);
  }
  return sources;
}

std::set<energy::Reader> readers_of(const measure::EnergyRun& run) {
  std::set<energy::Reader> readers;
  for (const EnergyEstimate& estimate : run.devices) {
    for (const energy::ReaderEnergy& one : estimate.readers) readers.insert(one.reader);
  }
  return readers;
}

/// The columns that differ from run to run.
struct Columns {
  std::set<std::string> naive;  ///< sources
  std::set<energy::Reader> readers;
  std::optional<energy::Work> work;  ///< done by all devices together
  bool repeated = false;
  bool node = false;
};

constexpr std::array kOfWork = {"work_done",        "work_unit",        "j_per_unit",
                                "j_per_unit_lower", "j_per_unit_upper", "units_per_j"};

Fields header(const Columns& columns) {
  Fields fields = {"#device",        "name",           "uuid",       "energy_j",
                   "energy_lower_j", "energy_upper_j", "energy_u_j", "net_energy_j",
                   "net_lower_j",    "net_upper_j",    "net_u_j",    "mean_power_w",
                   "baseline_w",     "window_s",       "source",     "method",
                   "observed_share", "truth_j",        "valid",      "resolved",
                   "reasons",        "needs_s"};
  for (const std::string& source : columns.naive) fields.push_back("naive_j:" + source);
  for (const energy::Reader reader : columns.readers) {
    fields.push_back("reader_j:" + std::string(to_string(reader)));
  }
  if (columns.work) {
    for (const char* name : kOfWork) fields.emplace_back(name);
  }
  if (columns.repeated) {
    for (const char* name : {"executions", "trials", "half_width", "target", "reached"}) {
      fields.emplace_back(name);
    }
  }
  if (columns.node) fields.emplace_back("added");
  return fields;
}

/// What a unit of the work takes of an energy, that of one device or of all.
Fields work_fields(const energy::Work& work, const std::optional<energy::EnergyInterval>& energy) {
  Fields fields = {field(work.done), work.unit};
  if (energy) {
    const Interval one = energy::joules_per_unit(energy->interval, work);
    fields.insert(fields.end(), {field(one.value), field(one.lower), field(one.upper),
                                 one.value > 0 ? field(1 / one.value) : ""});
  }
  fields.resize(kOfWork.size());
  return fields;
}

/// How the energies of all devices were repeated.
void append(Fields& fields, const measure::Repetition& repetition) {
  for (std::string& text :
       Fields{fmt::format("{}", repetition.executions), fmt::format("{}", repetition.trials),
              field(repetition.half_width), field(repetition.target),
              repetition.target ? field(repetition.reached) : ""}) {
    fields.push_back(std::move(text));
  }
}

/// What stands in the columns of the device's index and name.
struct LineName {
  std::string index;
  std::string name;
};

Fields estimate_fields(const LineName& line, const EnergyEstimate& estimate,
                       const Columns& columns) {
  Fields fields = {line.index, line.name, estimate.device.uuid};
  append(fields, estimate.energy);
  append(fields, estimate.net_energy);
  for (std::string& text :
       Fields{field(estimate.mean_power), field(estimate.baseline), field(estimate.window),
              field(estimate.source), estimate.method.code(), field(estimate.observed_fraction),
              field(estimate.truth), field(estimate.valid), field(estimate.resolved),
              codes(estimate.reasons), field(estimate.needs)}) {
    fields.push_back(std::move(text));
  }
  for (const std::string& source : columns.naive) {
    const auto found = estimate.naive_j.find(source);
    fields.push_back(found == estimate.naive_j.end() ? "" : field(found->second));
  }
  for (const energy::Reader reader : columns.readers) {
    const auto& read = estimate.readers;
    const auto found = std::find_if(read.begin(), read.end(),
                                    [reader](const auto& one) { return one.reader == reader; });
    fields.push_back(found == read.end() ? "" : field(found->energy));
  }
  if (columns.work) {
    for (std::string& text : work_fields(*columns.work, estimate.energy)) {
      fields.push_back(std::move(text));
    }
  }
  return fields;
}

bool is_added(const energy::NodeEnergy& node, const DeviceIdentity& device) {
  return std::any_of(node.sources.begin(), node.sources.end(), [&device](const auto& source) {
    return source.added && source.estimate.device == device;
  });
}

/// One line per meter of the host's, and the node's last.
std::string node_lines(const energy::NodeEnergy& node, const Columns& columns,
                       std::string_view separator) {
  std::string text;
  for (const energy::NodeSource& source : node.sources) {
    if (!is_host(source.estimate.device)) continue;
    Fields fields = estimate_fields({"host", source.label}, source.estimate, columns);
    fields.push_back(field(source.added));
    text += line_of(fields, separator);
  }
  std::string covers;
  for (const std::string& one : node.covers) covers += (covers.empty() ? "" : " + ") + one;
  Fields fields = {"node", covers, ""};
  append(fields, node.energy);
  const Fields names = header(columns);
  fields.resize(names.size());
  const auto reasons = std::find(names.begin(), names.end(), "reasons") - names.begin();
  fields[static_cast<std::size_t>(reasons)] = codes(node.reasons);
  const auto valid = std::find(names.begin(), names.end(), "valid") - names.begin();
  fields[static_cast<std::size_t>(valid)] = field(node.valid);
  fields[static_cast<std::size_t>(valid) + 1] = field(node.resolved);
  return text + line_of(fields, separator);
}

}  // namespace

std::string energy_csv(const measure::EnergyRun& run, std::string_view separator) {
  const Columns columns{naive_sources(run), readers_of(run), run.work, run.repetition.has_value(),
                        run.node.has_value()};
  const Fields names = header(columns);
  std::string text = line_of(names, separator);
  for (const EnergyEstimate& estimate : run.devices) {
    const LineName line{fmt::format("{}", estimate.device.index), estimate.device.name};
    Fields fields = estimate_fields(line, estimate, columns);
    if (run.repetition) append(fields, *run.repetition);
    if (run.node) fields.push_back(field(is_added(*run.node, estimate.device)));
    text += line_of(fields, separator);
  }
  Fields total = {"total", "", ""};
  append(total, run.total.energy);
  append(total, run.total.net_energy);
  total.resize(names.size());
  if (run.work) {
    const auto at = std::find(names.begin(), names.end(), kOfWork.front()) - names.begin();
    Fields of_work = work_fields(*run.work, run.total.energy);
    std::move(of_work.begin(), of_work.end(), total.begin() + at);
  }
  text += line_of(total, separator);
  return run.node ? text + node_lines(*run.node, columns, separator) : text;
}

}  // namespace truewatt::report
