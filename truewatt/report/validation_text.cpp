#include <fmt/format.h>

#include <algorithm>

#include "truewatt/report/layout.hpp"
#include "truewatt/report/text.hpp"
#include "truewatt/report/validation_words.hpp"

namespace truewatt::report {
namespace {

std::string agreement_text(const study::ValidatedWorkload& workload) {
  return workload.agreement ? fmt::format("{:+.2f}", 100 * (*workload.agreement - 1)) : "";
}

TextTable workload_table(const study::Validation& validation) {
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"workload", "iteration", "power", "counter", "run to", "naive", "one run",
                 "good practice", "", "took"},
                {"", "ms", "W", "/ ring %", "run %", "%", "%", "yang %", "truewatt %", "s"}};
  for (const study::ValidatedWorkload& one : validation.workloads) {
    if (one.failure) continue;
    std::vector<std::string> row = workload_cells(one);
    row.insert(row.begin(), name_with_mark(one, one.name));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable summary_table(const study::Validation& validation) {
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"reader", "workloads", "MAPE %", "RMSE %", "largest %"}};
  for (const study::ErrorSummary& one : validation.summaries) {
    table.rows.push_back(reader_cells(one));
  }
  return table;
}

}  // namespace

std::optional<double> error_of(const study::ValidatedWorkload& workload, const std::string& name) {
  const auto found = workload.errors.find(name);
  return found == workload.errors.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> naive_error(const study::ValidatedWorkload& workload) {
  for (const char* source : {"power.usage", "power.average", "power.instant"}) {
    if (const auto error = error_of(workload, std::string("naive ") + source)) return error;
  }
  return std::nullopt;
}

std::string percent_or_none(const std::optional<double>& share) {
  return share ? fmt::format("{:+.2f}", 100 * *share) : "";
}

std::string told_text(const study::ToldEnergy& told) {
  if (!told.error) return "-";
  std::string text = fmt::format("{:+.2f}", 100 * *told.error);
  if (told.half_width) text += fmt::format(" ± {:.2g}", 100 * *told.half_width);
  return told.resolved ? text : text + " ?";
}

std::vector<std::string> workload_cells(const study::ValidatedWorkload& workload) {
  return {fmt::format("{:.3g}", 1e3 * workload.iteration.count()),
          workload.power ? fmt::format("{:.0f}", workload.power->value()) : "",
          agreement_text(workload),
          workload.run_to_run ? fmt::format("{:.2f}", 100 * *workload.run_to_run) : "",
          percent_or_none(naive_error(workload)),
          told_text(workload.one_run),
          percent_or_none(error_of(workload, "yang")),
          told_text(workload.practice),
          fmt::format("{:.0f}+{:.0f}+{:.0f}", workload.reference_took.count(),
                      workload.one_run_took.count(), workload.practice_took.count())};
}

std::vector<std::string> reader_cells(const study::ErrorSummary& summary) {
  return {summary.name, std::to_string(summary.count),
          fmt::format("{:.2f}", 100 * summary.mean_absolute),
          fmt::format("{:.2f}", 100 * summary.rms), fmt::format("{:.2f}", 100 * summary.largest)};
}

std::string name_with_mark(const study::ValidatedWorkload& workload, const std::string& name) {
  return name + (workload.reference_throttled ? " *" : "");
}

std::string reference_sentence(const study::Validation& validation) {
  if (validation.meter) {
    const auto& [name, accuracy] = *validation.meter;
    const std::string bound = accuracy ? fmt::format("right within {:.3g} %", 100 * accuracy->scale)
                                       : std::string("of which nobody published how right it is");
    return fmt::format(
        "Errors are held against a {} beside the same runs, {}; the sensor's gain, "
        "where it is not calibrated, is in them.",
        printable(name), bound);
  }
  if (validation.reference == study::Reference::truth) {
    return "Errors are held against the simulated device's true energy; an uncalibrated sensor's "
           "gain is in them.";
  }
  return "Errors are held against a train of four such runs in step with nothing, those of good "
         "practice against one as long as its trials, as the same board's sensor tells them; its "
         "gain is "
         "in both.";
}

std::string validation_text(const study::Validation& validation, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text =
      fmt::format("\n Energies of known work on {}\n\n", printable(validation.device.name));
  const TextTable workloads = workload_table(validation);
  if (!workloads.rows.empty()) text += to_text(workloads, "   ");
  for (const study::ValidatedWorkload& one : validation.workloads) {
    if (!one.failure) continue;
    text += hanging(fmt::format("   {}: ", one.name), printable(*one.failure), width);
  }
  text += "\n" + hanging(" ", reference_sentence(validation), width);
  text += hanging(" ", kValidationMarks, width);
  text += "\n";
  if (!validation.summaries.empty()) text += to_text(summary_table(validation), "   ") + "\n";
  for (const std::string& note : validation.notes) {
    text += hanging(" note: ", printable(note), width);
  }
  return text;
}

}  // namespace truewatt::report
