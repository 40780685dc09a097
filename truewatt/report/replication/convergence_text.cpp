#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"
#include "truewatt/report/replication/convergence_words.hpp"
#include "truewatt/report/replication/protocol_text.hpp"

namespace truewatt::report {
namespace {

std::string error_text(const replication::ConvergencePoint& point) {
  return fmt::format("{:+.1f} ± {:.2f}", 100 * point.mean, 100 * point.spread);
}

std::string percent_text(double share) { return fmt::format("{:.2f}", 100 * share); }

/// Rows by the number of executions, columns by curve, and last truewatt's own half-width.
std::string load_table(const replication::ConvergenceLoad& load) {
  TextTable table;
  table.head = {{"executions"}};
  std::map<int, std::vector<std::string>> rows;
  for (std::size_t i = 0; i < load.curves.size(); ++i) {
    table.head.front().push_back(curve_name(load.curves[i]));
    for (const replication::ConvergencePoint& point : load.curves[i].points) {
      std::vector<std::string>& row = rows[point.executions];
      row.resize(load.curves.size() + 1);
      row[i] = error_text(point);
      if (point.half_width) row.back() = "± " + percent_text(*point.half_width);
    }
  }
  table.head.front().push_back("it says, 95 %");
  for (auto& [executions, cells] : rows) {
    cells.insert(cells.begin(), std::to_string(executions));
    table.rows.push_back(std::move(cells));
  }
  return to_text(table, "   ");
}

std::string from_on(const std::optional<int>& executions) {
  return executions ? fmt::format("from {} executions on", *executions)
                    : "with none of those tried";
}

}  // namespace

bool is_part_time(const replication::ConvergenceCase& one) {
  return std::any_of(one.loads.begin(), one.loads.end(), [](const auto& load) {
    return std::any_of(load.curves.begin(), load.curves.end(),
                       [](const auto& curve) { return curve.delays > 0; });
  });
}

std::string curve_name(const replication::ConvergenceCurve& curve) {
  if (curve.telling == replication::Telling::truewatt) return "truewatt";
  std::string name = curve.telling == replication::Telling::as_read ? "as read" : "corrected";
  if (curve.delays > 0) name += fmt::format(", {} delays", curve.delays);
  return name;
}

std::string case_sentence(const replication::ConvergenceCase& one) {
  const double looks = 1e3 * one.looks.count();
  const double period = 1e3 * one.period.count();
  const int number = is_part_time(one) ? 3 : looks > 1.1 * period ? 2 : 1;
  return fmt::format("{} looks {:.0f} ms every {:.0f} ms: the paper's case {}, Fig. {}",
                     to_string(one.source), looks, period, number, 14 + number);
}

std::string needs_sentence(const replication::ConvergenceLoad& load) {
  if (!load.practice_spread) {
    return "The paper's practice gives no energy here: it discards all executions that were tried.";
  }
  return fmt::format(
      "The paper's practice with {} executions spreads by {:.2f} %; truewatt spreads by no more "
      "and has intervals no wider {}. Mean error and 1.96 spreads are within 1 % of what gain and "
      "offset make of the energy by the practice {}, and by truewatt, whose interval is within "
      "1 %, too, {}.",
      load.practice_executions, 100 * *load.practice_spread, from_on(load.needed),
      from_on(load.practice_within), from_on(load.within));
}

std::string convergence_text(const replication::Convergence& convergence,
                             const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text = fmt::format(
      "\n Error of one execution's energy on {} in %: mean ± standard deviation of {} trials\n"
      " (Yang, Adamek, Armour, Figs. 15 to 17)\n",
      printable(convergence.device), convergence.trials);
  for (const std::string& note : convergence.notes) {
    text += hanging(" note: ", note, width);
  }
  for (const replication::ConvergenceCase& one : convergence.cases) {
    text += "\n " + case_sentence(one) + "\n";
    for (const replication::ConvergenceLoad& load : one.loads) {
      text += fmt::format("\n  {:.0f} ms, on for the first half\n", 1e3 * load.execution.count());
      text += load_table(load);
      text += hanging("   ", needs_sentence(load), width);
    }
  }
  if (convergence.interrupted) {
    text += "\n" + hanging(" ", "Interrupted: loads that had not ended are not here.", width);
  }
  return text + "\n";
}

}  // namespace truewatt::report
