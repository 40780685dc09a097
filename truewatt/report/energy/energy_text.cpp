#include "truewatt/report/energy/energy_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/energy/energy_rows.hpp"
#include "truewatt/report/page/budget_cells.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;

/// How far a naive reading is off; "" when there is nothing to hold it against.
std::string deviation_text(double naive_j, const std::optional<Joules>& reference) {
  return reference ? signed_percent({naive_j, reference->value()}).value_or("") : "";
}

/// As a shell would take it.
std::string shell_word(const std::string& argument) {
  const bool as_is =
      !argument.empty() && argument.find_first_of(" \t\n\"'`$&|;<>()*?[]\\#~") == std::string::npos;
  if (as_is) return argument;
  std::string word = "'";
  for (const char c : argument) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string command_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& argument : argv) line += (line.empty() ? "" : " ") + shell_word(argument);
  return line;
}

/// A command as part of a sentence: on one line, and no longer than is read.
std::string short_command(const std::vector<std::string>& argv) {
  constexpr std::size_t kLongest = 120;
  std::string line;
  for (const char c : command_line(argv)) {
    const bool blank = c == '\n' || c == '\t' || c == '\r' || c == ' ';
    if (!blank) line += c;
    if (blank && !line.ends_with(' ')) line += ' ';
  }
  return line.size() <= kLongest ? line : line.substr(0, kLongest - 3) + "...";
}

std::string title(const measure::EnergyRun& run) {
  if (!run.command) return "Energy of " + (run.load.empty() ? "the window" : run.load);
  const std::string line = "Energy of " + short_command(run.command->argv);
  if (run.command->exit_code == 0) return line;
  return fmt::format("{} (exit code {})", line, run.command->exit_code);
}

std::string truth_comment(const EnergyEstimate& estimate) {
  if (!estimate.energy) return "simulated";
  const Interval& interval = estimate.energy->interval;
  const double truth = estimate.truth->value();
  const bool inside = interval.lower <= truth && truth <= interval.upper;
  const auto error = signed_percent({interval.value, truth});
  return fmt::format("estimate {}, {}", error.value_or("off"), inside ? "covered" : "NOT COVERED");
}

std::vector<SummaryRow> summary_rows(const EnergyEstimate& estimate) {
  std::vector<SummaryRow> rows;
  rows.push_back(interval_row(estimate.energy, "gross energy"));
  if (estimate.energy) rows.back().comment = "95 % interval";
  rows.push_back(interval_row(estimate.net_energy, "net energy"));
  rows.back().comment = estimate.baseline ? "above a baseline of " + power_text(*estimate.baseline)
                                          : "no baseline is known";
  const std::string window = "over " + duration_text(estimate.window);
  rows.push_back({estimate.mean_power ? power_text(*estimate.mean_power) : "<unknown>", "",
                  "mean power", window});
  if (estimate.truth) {
    rows.push_back(
        {energy_text_of(estimate.truth->value()), "", "true energy", truth_comment(estimate)});
  }
  return rows;
}

std::string naive_text(const EnergyEstimate& estimate) {
  if (estimate.naive_j.empty()) return "";
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"naive (readings held)", "joules", "from estimate", "from truth"}};
  std::optional<Joules> estimated;
  if (estimate.energy) estimated = Joules(estimate.energy->interval.value);
  for (const auto& [source, joules] : estimate.naive_j) {
    table.rows.push_back({"  " + printable(source), energy_text_of(joules),
                          deviation_text(joules, estimated),
                          deviation_text(joules, estimate.truth)});
  }
  return "\n" + to_text(table, "   ");
}

std::string budget_text(const EnergyEstimate& estimate) {
  if (estimate.budget.empty()) return "";
  const double variance = variance_of(estimate.budget);
  TextTable table;
  table.left_aligned = 2;
  table.head = {{"standard uncertainty of", "type", "joules", "of the variance"}};
  for (const auto& term : estimate.budget) {
    table.rows.push_back({"  " + std::string(uncertainty::code_of(term.cause)),
                          std::string(1, uncertainty::type_of(term.cause)), plain(term.u, 3) + " J",
                          share_of_variance(term, variance)});
  }
  return "\n" + to_text(table, "   ");
}

std::string source_text(const EnergyEstimate& estimate, std::size_t width) {
  if (!estimate.source) return "";
  std::string text = to_string(*estimate.source);
  for (std::size_t i = 1; i < estimate.sources.size(); ++i) {
    text += (i == 1 ? " with " : ", ") + to_string(estimate.sources[i]);
  }
  if (!estimate.method.empty()) text += " by " + printable(estimate.method.code());
  if (estimate.observed_fraction) {
    text += fmt::format(", {} looked at {:.1f} % of the window{}",
                        estimate.sources.size() > 1 ? "the first of which" : "which",
                        100.0 * *estimate.observed_fraction,
                        energy::rests_on_catalogue(estimate) ? " (as published)" : "");
  }
  text = hanging("   source    ", text, width);
  for (const energy::DroppedSource& one : estimate.dropped) {
    text += hanging("   dropped   ",
                    to_string(one.source) + ": " + std::string(energy::explain(one.reason)), width);
  }
  return text;
}

std::string device_text(const DeviceIdentity& device, const TextOptions& options) {
  std::string line = fmt::format(" GPU {}: {}", device.index, printable(device.name));
  if (options.verbose) {
    line += fmt::format(" ({}, PCI {}, driver {})", printable(device.uuid), printable(device.pci),
                        printable(device.driver));
  }
  return line + "\n\n";
}

std::string estimate_text(const EnergyEstimate& estimate, const TextOptions& options) {
  const Paint paint(options.colour);
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text = device_text(estimate.device, options);
  text += summary_text(summary_rows(estimate), paint);
  text += naive_text(estimate);
  text += readers_text(estimate, {"truth", estimate.truth});
  if (options.verbose) text += budget_text(estimate);
  text += "\n" + source_text(estimate, width);
  text += verdict_text({estimate.valid, estimate.resolved, estimate.reasons}, paint, width);
  if (estimate.needs) {
    text +=
        hanging("   needs     ",
                "about " + rough_duration(*estimate.needs) + " of run time to be resolved", width);
  }
  return text + "\n";
}

/// `   mean of one execution, of 12 in 6 trials; ± 0.21 % without the gain, 1 % was asked for`.
std::string repetition_text(const measure::Repetition& repetition, std::size_t width) {
  std::string text =
      fmt::format("one execution, the mean of {} in {} trial{}", repetition.executions,
                  repetition.trials, repetition.trials == 1 ? "" : "s");
  if (repetition.half_width) {
    text += fmt::format("; ± {:.2g} % but for the gain", 100 * *repetition.half_width);
    if (repetition.target) {
      const bool narrow = *repetition.half_width <= *repetition.target;
      text += fmt::format(", {} ± {:.2g} %", narrow ? "within the wanted" : "wanted were",
                          100 * *repetition.target);
      if (narrow && !repetition.reached) {
        text += repetition.trials < measure::kFewestTrials ? ", but so few trials tell no scatter"
                                                           : ", but not resolved";
      }
    }
  }
  std::string lines = hanging("   repeated  ", text, width);
  if (repetition.needs_executions && repetition.needs) {
    lines += hanging("   needs     ",
                     fmt::format("about {} executions, {}; ask for them with --repeat {}",
                                 *repetition.needs_executions, rough_duration(*repetition.needs),
                                 *repetition.needs_executions),
                     width);
  }
  return lines + "\n";
}

std::string total_text(const measure::EnergyRun& run, const Paint& paint) {
  const std::vector<SummaryRow> rows = {interval_row(run.total.energy, "gross energy"),
                                        interval_row(run.total.net_energy, "net energy")};
  return fmt::format(" Total of {} devices\n\n{}\n", run.devices.size(), summary_text(rows, paint));
}

/// Why a meter is no part of the node's energy; "" where it is.
std::string left_out_text(const energy::NodeSource& source, bool has_total) {
  if (!source.refusal.empty()) return "refused, see below";
  if (!source.estimate.energy) {
    std::string codes;
    for (const energy::Reason reason : source.estimate.reasons) {
      codes.append(codes.empty() ? "" : ", ").append(energy::to_string(reason));
    }
    return codes;
  }
  if (!has_total || source.added) return "";
  // A platform holds the packages, and is part of nothing.
  return source.part == energy::NodePart::platform
             ? "not added: holds others, and what else is not known"
             : "not added: part of another";
}

std::string node_text(const energy::NodeEnergy& node, const Paint& paint, std::size_t width) {
  std::vector<SummaryRow> rows = {interval_row(node.energy, "whole node")};
  if (node.energy) rows.back().comment = "95 % interval";
  for (const energy::NodeSource& source : node.sources) {
    rows.push_back(interval_row(source.estimate.energy, printable(source.label)));
    rows.back().comment = left_out_text(source, node.energy.has_value());
  }
  std::string text = " Node\n\n" + summary_text(rows, paint) + "\n";
  for (const energy::Reason reason : node.reasons) {
    std::string sentence(energy::to_string(reason));
    sentence.append(": ").append(energy::explain(reason));
    text += hanging("   - ", sentence, width);
  }
  for (const energy::NodeSource& source : node.sources) {
    if (source.refusal.empty()) continue;
    text += hanging("   refused   ", printable(source.refusal), width);
  }
  return text + "\n";
}

}  // namespace

std::string energy_text(const measure::EnergyRun& run, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text = "\n" + hanging(" ", printable(title(run)) + ":", width) + "\n";
  for (const EnergyEstimate& estimate : run.devices) text += estimate_text(estimate, options);
  if (run.repetition) text += repetition_text(*run.repetition, width);
  if (run.devices.size() > 1) text += total_text(run, Paint(options.colour));
  if (run.node) text += node_text(*run.node, Paint(options.colour), width);
  if (options.verbose) {
    text += fmt::format(" started {} with truewatt {}\n", format_utc(run.start),
                        printable(run.tool_version));
  }
  for (const std::string& note : run.notes) text += hanging(" note: ", printable(note), width);
  return text;
}

}  // namespace truewatt::report
