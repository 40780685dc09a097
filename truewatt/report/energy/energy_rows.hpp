#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/report/page/paint.hpp"

namespace truewatt::report {

/// One line of a summary: the number flush right, what its interval adds, its name, a comment.
struct SummaryRow {
  std::string value;
  std::string spread;
  std::string name;
  std::string comment;
};

/// The idle that net energy counts from, "47.9 W before" or "69.9 W, with a context, before"; ""
/// where there is none.
std::string idle_text(const energy::EnergyEstimate& estimate);

/// The row of an energy; `none` when it is absent.
SummaryRow interval_row(const std::optional<energy::EnergyInterval>& energy, std::string name);

/// Rows in columns, the first one bold; comments start with '#'.
std::string summary_text(const std::vector<SummaryRow>& rows, const Paint& paint);

/// What is better known than any reading: the truth of a simulation, an external meter.
struct Reference {
  std::string name;
  std::optional<Joules> joules;
};

/// The table of what readers make of the estimate's readings, with the estimate last; "" without
/// readers.
std::string readers_text(const energy::EnergyEstimate& estimate, const Reference& reference);

/// The table of the gross energy's uncertainty budget, after an empty line; "" where there is none.
std::string budget_text(const energy::EnergyEstimate& estimate);

/// Whether a number is valid and resolved, and a sentence for each reason.
struct Verdict {
  energy::Status status = energy::Status::none;
  std::vector<energy::Reason> reasons;
};
std::string verdict_text(const Verdict& verdict, const Paint& paint, std::size_t width);

}  // namespace truewatt::report
