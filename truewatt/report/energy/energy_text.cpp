#include "truewatt/report/energy/energy_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/energy/brief_text.hpp"
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
  constexpr std::size_t kLongest = 40;
  std::string line;
  for (const char c : command_line(argv)) {
    const bool blank = c == '\n' || c == '\t' || c == '\r' || c == ' ';
    if (!blank) line += c;
    if (blank && !line.ends_with(' ')) line += ' ';
  }
  return line.size() <= kLongest ? line : line.substr(0, kLongest - 3) + "...";
}

std::string of_gpu(const DeviceIdentity& device) {
  return fmt::format("GPU {} ({})", device.index, printable(device.name));
}

/// `Energy of ./train.py (exit code 3) on GPU 0 (NVIDIA H100 80GB HBM3)`.
std::string title(const measure::EnergyRun& run) {
  std::string line;
  if (!run.command) {
    line = run.load.empty() ? "the window" : run.load;
  } else {
    line = short_command(run.command->argv);
    if (run.command->exit_code != 0) {
      line += fmt::format(" (exit code {})", run.command->exit_code);
    }
  }
  if (run.devices.size() == 1) line += " on " + of_gpu(run.devices.front().device);
  return "Energy of " + line;
}

std::string truth_comment(const EnergyEstimate& estimate) {
  if (!estimate.energy) return "simulated";
  const Interval& interval = estimate.energy->interval;
  const double truth = estimate.truth->value();
  const bool inside = interval.lower <= truth && truth <= interval.upper;
  const auto error = signed_percent({interval.value, truth});
  return fmt::format("estimate {}, {}", error.value_or("off"),
                     inside ? "within the interval" : "OUTSIDE THE INTERVAL");
}

std::vector<SummaryRow> summary_rows(const EnergyEstimate& estimate) {
  std::vector<SummaryRow> rows;
  rows.push_back(interval_row(estimate.energy, "gross energy"));
  if (estimate.energy) rows.back().comment = "95 % interval, scale included";
  rows.push_back(interval_row(estimate.net_energy, "net energy"));
  rows.back().comment =
      estimate.baseline ? "above idle (" + idle_text(estimate) + ")" : "no idle was recorded";
  const std::string window = "over " + duration_text(estimate.window);
  rows.push_back(
      {estimate.mean_power ? power_text(*estimate.mean_power) : "none", "", "mean power", window});
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
  table.head = {{"simple polling", "joules", "from estimate", "from truth"}};
  std::optional<Joules> estimated;
  if (estimate.energy) estimated = Joules(estimate.energy->interval.value);
  for (const auto& [source, joules] : estimate.naive_j) {
    table.rows.push_back({"  " + printable(source), energy_text_of(joules),
                          deviation_text(joules, estimated),
                          deviation_text(joules, estimate.truth)});
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
    text += fmt::format(", {} saw {:.1f} % of the window{}",
                        estimate.sources.size() > 1 ? "the first" : "which",
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
  text += verdict_text({energy::status_of(estimate), estimate.reasons}, paint, width);
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
      fmt::format("of one execution, the mean of {} in {} trial{}", repetition.executions,
                  repetition.trials, repetition.trials == 1 ? "" : "s");
  if (repetition.half_width) {
    text += fmt::format("; ± {:.2g} % on the sensor's scale", 100 * *repetition.half_width);
    if (repetition.target) {
      const bool narrow = *repetition.half_width <= *repetition.target;
      text += fmt::format(", {} ± {:.2g} %", narrow ? "within the target" : "the target was",
                          100 * *repetition.target);
      if (narrow && !repetition.reached) {
        text += repetition.trials < measure::kFewestTrials
                    ? "; too few trials to show their scatter"
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

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool is_calibrated(const EnergyEstimate& estimate) {
  return !energy::has_reason(estimate.reasons, energy::Reason::uncalibrated_gain);
}

/// `2920 J ± 12 J (0.41 %) on this sensor's scale; ± 230 J (7.9 %) against a wattmeter (...)`.
std::string both_scales_text(const energy::EnergyInterval& energy, bool calibrated) {
  return fmt::format("{} on this sensor's scale; {}", on_scale_text(energy),
                     against_meter_text(energy, calibrated));
}

/// `484 W over 6.03 s; polling 2811 J (-3.7 %), counter 2890 J (-1.0 %)`, off the truth where that
/// is known, else off the estimate.
std::string others_text(const EnergyEstimate& estimate) {
  std::string text;
  if (estimate.mean_power) text = power_text(*estimate.mean_power) + " ";
  text += "over " + duration_text(estimate.window);
  std::optional<Joules> reference = estimate.truth;
  if (!reference && estimate.energy) reference = Joules(estimate.energy->interval.value);
  const auto add = [&](std::string_view who, double joules) {
    const std::string off = deviation_text(joules, reference);
    text += fmt::format("{} {} {}{}", text.find(';') == std::string::npos ? ";" : ",", who,
                        energy_text_of(joules), off.empty() ? "" : " (" + off + ")");
  };
  for (const SourceKind kind : *source_kinds::kPolled) {
    const auto found = estimate.naive_j.find(to_string(SourceId{kind, Scope::gpu}));
    if (found == estimate.naive_j.end()) continue;
    add("polling", found->second);
    break;
  }
  const SourceId counter{SourceKind::energy_counter, Scope::gpu};
  const auto counted = estimate.naive_j.find(to_string(counter));
  if (counted != estimate.naive_j.end()) add("counter", counted->second);
  return text;
}

/// The status on so many lines at most: clauses go that need more, before the last one, which says
/// what to do. -v has all of it.
std::string status_lines(const EnergyEstimate& estimate, std::size_t most, const Paint& paint,
                         std::size_t width) {
  std::string status = status_text(estimate);
  std::string lines = hanging("   ", status, width);
  while (lines_of(lines) > most && status.find(';') != std::string::npos) {
    const std::size_t last = status.rfind(';');
    const std::size_t before = status.rfind(';', last - 1);
    if (before == std::string::npos) {
      status.resize(last);
    } else {
      status.erase(before, last - before);
    }
    lines = hanging("   ", status, width);
  }
  return paint_status(std::move(lines), estimate, paint);
}

std::string brief_of_one(const EnergyEstimate& estimate, const Paint& paint, std::size_t width) {
  std::string text;
  if (estimate.energy) {
    text += paint.bold(
        hanging("   ", both_scales_text(*estimate.energy, is_calibrated(estimate)), width));
    text += hanging("   ", above_idle_text(estimate), width);
  }
  text += hanging("   ", others_text(estimate), width);
  if (estimate.truth) {
    std::string truth = energy_text_of(estimate.truth->value()) + " is true (simulated)";
    if (estimate.energy) truth += ": " + truth_comment(estimate);
    text += hanging("   ", truth, width);
  }
  // With its title no more than eight.
  constexpr std::size_t kMostLines = 7;
  constexpr std::size_t kFewestLines = 2;
  const std::size_t left = kMostLines - std::min(kMostLines, lines_of(text));
  return text + status_lines(estimate, std::max(left, kFewestLines), paint, width);
}

/// A line a GPU, and their total.
std::string brief_of_several(const measure::EnergyRun& run, const Paint& paint, std::size_t width) {
  std::string text;
  bool calibrated = true;
  for (const EnergyEstimate& estimate : run.devices) {
    calibrated = calibrated && is_calibrated(estimate);
    std::string line;
    if (estimate.energy) {
      line = on_scale_text(*estimate.energy) + "; ";
      if (estimate.net_energy) line += above_idle_text(estimate) + "; ";
    }
    const std::string lines = hanging(fmt::format("   GPU {}  ", estimate.device.index),
                                      line + status_text(estimate), width);
    text += paint_status(lines, estimate, paint);
  }
  if (!run.total.energy) return text + "   total  none: a GPU has no number\n";
  text += paint.bold(hanging("   total  ", both_scales_text(*run.total.energy, calibrated), width));
  if (run.total.net_energy) {
    text += hanging(
        "          ",
        format_interval(energy::on_sensor_scale(*run.total.net_energy), "J") + " above idle",
        width);
  }
  return text;
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
  if (node.energy) rows.back().comment = "95 % interval, scale included";
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
    text += hanging("   refused   ", source.refusal, width);
  }
  return text + "\n";
}

/// Readers that were asked for, of each GPU.
std::string all_readers_text(const measure::EnergyRun& run) {
  std::string text;
  for (const EnergyEstimate& estimate : run.devices) {
    const std::string readers = readers_text(estimate, {"truth", estimate.truth});
    const bool named = run.devices.size() > 1 && !readers.empty();
    if (named) text += fmt::format("\n  GPU {}", estimate.device.index);
    text += readers;
  }
  return text;
}

/// Notes in full with -v; else as many as leave the whole at no more than eight lines.
std::string notes_text(const measure::EnergyRun& run, std::size_t lines,
                       const TextOptions& options) {
  constexpr std::size_t kMostLines = 8;
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::vector<std::string> notes;
  for (const std::string& note : run.notes) notes.push_back(hanging(" note: ", note, width));
  std::string text;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const std::size_t rest = i + 1 < notes.size() ? 1 : 0;
    const std::size_t after = lines + lines_of(notes[i]) + rest;
    if (!options.verbose && after > kMostLines) {
      const std::size_t left = notes.size() - i;
      return text + fmt::format(" {}{} note{}: -v shows {}\n", left, i > 0 ? " more" : "",
                                left == 1 ? "" : "s", left == 1 ? "it" : "them");
    }
    text += notes[i];
    lines += lines_of(notes[i]);
  }
  return text;
}

}  // namespace

std::string energy_text(const measure::EnergyRun& run, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  const Paint paint(options.colour);
  std::string text = paint.bold(hanging(" ", printable(title(run)) + ":", width));
  text += run.devices.size() == 1 ? brief_of_one(run.devices.front(), paint, width)
                                  : brief_of_several(run, paint, width);
  if (run.repetition) text += repetition_text(*run.repetition, width);
  if (options.verbose) {
    text += "\n";
    for (const EnergyEstimate& estimate : run.devices) text += estimate_text(estimate, options);
    if (run.devices.size() > 1) text += total_text(run, paint);
  }
  const std::string readers = options.verbose ? "" : all_readers_text(run);
  text += readers;
  if (run.node) text += node_text(*run.node, paint, width);
  if (options.verbose) {
    text += fmt::format(" started {} with truewatt {}\n", format_utc(run.start),
                        printable(run.tool_version));
  }
  return text + notes_text(run, lines_of(text) - lines_of(readers), options);
}

}  // namespace truewatt::report
