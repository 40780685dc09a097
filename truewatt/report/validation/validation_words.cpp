#include "truewatt/report/validation/validation_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

/// Why there is no number; "-" where nothing says.
std::string reason_of(const validate::ToldEnergy& told) {
  for (const energy::Reason reason : told.reasons) {
    const bool says_little =
        reason == energy::Reason::uncalibrated_gain || reason == energy::Reason::from_catalogue;
    if (!says_little) return std::string(to_string(reason));
  }
  return "-";
}

bool is_in_doubt(const validate::ToldEnergy& told) {
  return std::any_of(told.reasons.begin(), told.reasons.end(), energy::puts_in_doubt);
}

/// How many of the single runs are where they may be.
std::string explained_sentence(const validate::Validation& validation) {
  int judged = 0;
  int explained = 0;
  double known = 0.0;
  for (const validate::ValidatedWorkload& one : validation.workloads) {
    if (!one.explained) continue;
    ++judged;
    explained += *one.explained ? 1 : 0;
    known = std::max(known, kCoverageFactor95 * one.reference_uncertainty.value_or(0.0));
  }
  if (judged == 0) return "";
  return fmt::format(
      " These are known to ± {:.2g} % or better (95 %, without the gain); {} of {} single runs are "
      "off by no more than their intervals, these, and how much runs differ, together.",
      100 * known, explained, judged);
}

}  // namespace

std::optional<double> error_of(const validate::ValidatedWorkload& workload,
                               const std::string& name) {
  const auto found = workload.errors.find(name);
  return found == workload.errors.end() ? std::nullopt : std::optional(found->second);
}

std::string conclusion_sentence(const validate::Validation& validation) {
  const validate::ErrorSummary* ours = nullptr;
  const validate::ErrorSummary* worst = nullptr;
  for (const validate::ErrorSummary& one : validation.summaries) {
    if (one.name == "truewatt, one run") ours = &one;
    const bool is_naive = one.name.starts_with("naive ");
    if (is_naive && (!worst || one.mean_absolute > worst->mean_absolute)) worst = &one;
  }
  if (!ours) return "";
  std::string text = fmt::format(
      "From one run truewatt is off by {:.2g} % on average over {} workload{}, {:.2g} % at most",
      100 * ours->mean_absolute, ours->count, ours->count == 1 ? "" : "s", 100 * ours->largest);
  if (worst) {
    text += fmt::format("; holding the last reading of {} by {:.2g} %", worst->name.substr(6),
                        100 * worst->mean_absolute);
  }
  return text + ".";
}

std::optional<double> naive_error(const validate::ValidatedWorkload& workload) {
  for (const SourceKind kind : kKindsPolled) {
    if (const auto error = error_of(workload, fmt::format("naive {}", to_string(kind)))) {
      return error;
    }
  }
  return std::nullopt;
}

std::string percent_or_none(const std::optional<double>& share) {
  return share ? fmt::format("{:+.2f}", 100 * *share) : "";
}

std::string told_text(const validate::ToldEnergy& told) {
  if (!told.error) return reason_of(told);
  std::string text = fmt::format("{:+.2f}", 100 * *told.error);
  if (is_in_doubt(told)) return text + " ?";
  if (told.half_width) text += fmt::format(" ± {:.2g}", 100 * *told.half_width);
  return told.resolved ? text : text + " ?";
}

std::vector<WorkloadColumn> workload_columns(const validate::Validation& validation) {
  using validate::ValidatedWorkload;
  std::vector<WorkloadColumn> columns = {
      {{"iteration", "ms"},
       "Iteration (ms)",
       [](const ValidatedWorkload& one) {
         return fmt::format("{:.3g}", 1e3 * one.iteration.count());
       }},
      {{"power", "W"},
       "Power (W)",
       [](const ValidatedWorkload& one) {
         return one.power ? fmt::format("{:.0f}", one.power->value()) : "";
       }},
      {{"counter", "/ ring %"},
       "Counter / ring",
       [](const ValidatedWorkload& one) {
         return one.agreement ? fmt::format("{:+.2f}", 100 * (*one.agreement - 1)) : "";
       }},
      {{"run to", "run %"},
       "Run to run",
       [](const ValidatedWorkload& one) {
         return one.run_to_run ? fmt::format("{:.2f}", 100 * *one.run_to_run) : "";
       }},
      {{"naive", "%"},
       "Naive",
       [](const ValidatedWorkload& one) { return percent_or_none(naive_error(one)); }},
      {{"one run", "truewatt %"},
       "truewatt, one run",
       [](const ValidatedWorkload& one) { return told_text(one.one_run); }},
      {{"practice", "yang %"},
       "Good practice, Yang et al.",
       [](const ValidatedWorkload& one) { return percent_or_none(error_of(one, "yang")); }},
      {{"practice", "truewatt %"},
       "Good practice, truewatt",
       [](const ValidatedWorkload& one) {
         const bool played = one.practice_took > Seconds(0);
         return played ? told_text(one.practice) : std::string();
       }},
      {{"took", "s"},
       "Took (s)",
       [](const ValidatedWorkload& one) {
         return fmt::format("{:.0f}+{:.0f}+{:.0f}", one.one_run_took.count(),
                            one.reference_took.count(), one.practice_took.count());
       }},
  };
  std::erase_if(columns, [&validation](const WorkloadColumn& column) {
    return std::all_of(validation.workloads.begin(), validation.workloads.end(),
                       [&column](const ValidatedWorkload& one) {
                         return one.failure || column.cell(one).empty();
                       });
  });
  return columns;
}

std::vector<std::string> reader_cells(const validate::ErrorSummary& summary) {
  return {summary.name, std::to_string(summary.count),
          fmt::format("{:.2f}", 100 * summary.mean_absolute),
          fmt::format("{:.2f}", 100 * summary.rms), fmt::format("{:.2f}", 100 * summary.largest)};
}

std::string name_with_mark(const validate::ValidatedWorkload& workload, const std::string& name) {
  return name + (workload.reference_throttled ? " *" : "");
}

std::string reference_sentence(const validate::Validation& validation) {
  if (validation.meter) {
    const auto& [name, accuracy] = *validation.meter;
    const std::string bound = accuracy ? fmt::format("right within {:.3g} %", 100 * accuracy->scale)
                                       : std::string("of unpublished accuracy");
    return fmt::format(
        "Errors are against a {} beside the same runs, {}; the sensor's gain, "
        "where it is not calibrated, is in them.",
        printable(name), bound);
  }
  if (validation.reference == validate::Reference::truth) {
    return "Errors are against the simulated device's true energy; an uncalibrated sensor's "
           "gain is in them.";
  }
  return "Errors are against four such runs that are in step with no sensor, those of good "
         "practice "
         "against one as long as its trials, as the same board's sensor shows them; its gain is in "
         "both." +
         explained_sentence(validation);
}

std::string marks_sentence(const validate::Validation& validation) {
  const auto& all = validation.workloads;
  const auto any = [&all](auto is) { return std::any_of(all.begin(), all.end(), is); };
  using validate::ValidatedWorkload;
  std::string text;
  if (any([](const ValidatedWorkload& one) {
        return told_text(one.one_run).ends_with('?') || told_text(one.practice).ends_with('?');
      })) {
    text += "? not resolved: no interval where the load may be in step with the sensor. ";
  }
  if (any([](const ValidatedWorkload& one) { return one.reference_throttled; })) {
    text += "* clocks were limited in a part of the reference. ";
  }
  if (any([](const ValidatedWorkload& one) { return one.run_to_run.has_value(); })) {
    text += "Run to run: standard deviation of the runs that are the reference. ";
  }
  return text +
         "Took: one run + reference + good practice, idle around them included. MAPE and RMSE of "
         "truewatt are over the workloads that it calls resolved, and over all of them where "
         "these are more.";
}

}  // namespace truewatt::report
