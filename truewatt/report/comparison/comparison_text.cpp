#include "truewatt/report/comparison/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/energy/results/work.hpp"
#include "truewatt/report/comparison/comparison_words.hpp"
#include "truewatt/report/energy/energy_rows.hpp"
#include "truewatt/report/energy/work_text.hpp"
#include "truewatt/report/page/budget_cells.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {
namespace {

using compare::ComparedSide;
using compare::EnergyComparison;

/// Half-width of a ratio's interval in percent of a.
double half_percent(const energy::EnergyRatio& ratio) {
  return 100 * (ratio.ratio.upper - ratio.ratio.lower) / 2;
}

/// As many decimals as two digits of the half-width take.
int decimals_for(double half) {
  if (!(half > 0)) return 2;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 4);
}

std::string side_rows(const EnergyComparison& comparison, std::size_t width) {
  std::string text;
  const auto add = [&](const char* name, const ComparedSide& side) {
    const std::string energy = side.mean.energy
                                   ? split_interval(side.mean.energy->interval, "J").value
                                   : std::string("none");
    const std::string net = side.mean.net_energy
                                ? split_interval(side.mean.net_energy->interval, "J").value
                                : std::string("none");
    const std::string runs =
        side.runs.size() == 1 ? "1 run" : fmt::format("{} runs", side.runs.size());
    text += hanging(
        fmt::format("   {}  ", name),
        fmt::format("{}: {} gross, {} above idle, {}", printable(side.what), energy, net, runs),
        width);
  };
  add("A", comparison.a);
  add("B", comparison.b);
  return text;
}

/// `   per token: A 2.92 mJ/token, B 3.21 mJ/token; B takes 9.9 % ± 0.3 % more`; "" where nobody
/// said what both did.
std::string work_words(const EnergyComparison& comparison, std::size_t width) {
  const auto& a = comparison.a;
  const auto& b = comparison.b;
  if (!comparison.per_unit || !a.mean.energy || !b.mean.energy) return "";
  const std::string unit = energy::singular(a.work->unit);
  const auto one = [](const ComparedSide& side) {
    return per_unit_text(energy::on_sensor_scale(*side.mean.energy), *side.work);
  };
  return hanging("   ",
                 fmt::format("per {}: A {}; B {}; B takes {}", unit, one(a), one(b),
                             ratio_words({.ratio = *comparison.per_unit})),
                 width);
}

std::string truth_words(const EnergyComparison& comparison) {
  if (!comparison.truth || !comparison.gross) return "";
  const Interval& ratio = comparison.gross->ratio;
  const bool inside = ratio.lower <= *comparison.truth && *comparison.truth <= ratio.upper;
  return fmt::format("   truth     B over A is {:.4f} (simulated), {}\n", *comparison.truth,
                     inside ? "within the interval" : "OUTSIDE THE INTERVAL");
}

/// `3.52 % ± 0.41 % more energy than A`, `26 times (21 to 33) as much energy as A`.
std::string energy_words(const energy::EnergyRatio& ratio) {
  const std::string words = ratio_words(ratio);
  return words + (words.ends_with("as much") ? " energy as A" : " energy than A");
}

std::string verdict_words(const EnergyComparison& comparison) {
  using enum compare::RatioVerdict;
  const energy::EnergyRatio& ratio = *comparison.gross;
  // One run of each says what it took, not what it takes.
  const char* takes = comparison.rounds == 1 ? "took" : "takes";
  switch (comparison.verdict) {
    case less:
    case more:
      return fmt::format("B {} {}", takes, energy_words(ratio));
    case alike:
      return fmt::format("B {} as much energy as A, within {:.2g} %", takes,
                         100 * std::max(1 - ratio.ratio.lower, ratio.ratio.upper - 1));
    case undecided:
      break;
  }
  return fmt::format("no difference was found: B {} {}", takes, energy_words(ratio));
}

/// Every run of both is of the same boards, by the same sources.
bool same_sources(const EnergyComparison& comparison) {
  const auto& first = comparison.a.runs.front().devices;
  const auto alike = [&first](const measure::EnergyRun& run) {
    return std::equal(first.begin(), first.end(), run.devices.begin(), run.devices.end(),
                      [](const auto& one, const auto& other) {
                        return one.device.uuid == other.device.uuid && one.source == other.source;
                      });
  };
  return std::all_of(comparison.a.runs.begin(), comparison.a.runs.end(), alike) &&
         std::all_of(comparison.b.runs.begin(), comparison.b.runs.end(), alike);
}

std::string terms_text(const energy::EnergyRatio& ratio) {
  TextTable table;
  table.left_aligned = 2;
  table.head = {{"standard uncertainty of", "type", "of the ratio", "of the variance"}};
  for (std::vector<std::string>& row : ratio_budget_cells(ratio)) {
    row.front() = "  " + row.front();
    table.rows.push_back(std::move(row));
  }
  return "\n" + to_text(table, "   ");
}

/// In words on one line; with -v whole sentences.
std::string reasons_text(const EnergyComparison& comparison, bool verbose, std::size_t width) {
  std::string text = comparison.valid ? "" : hanging("   status    ", "none", width);
  if (!verbose) {
    std::vector<std::string_view> words;
    for (const energy::Reason reason : comparison.reasons) words.push_back(energy::briefly(reason));
    if (words.empty()) return text;
    return text + hanging("   ", fmt::format("{}", fmt::join(words, "; ")), width);
  }
  for (const energy::Reason reason : comparison.reasons) {
    text += hanging("   - ", fmt::format("{}: {}", to_string(reason), explain(reason)), width);
  }
  return text;
}

/// Of a ratio whose parts may be nothing themselves.
bool may_be_nothing(const Interval& ratio) {
  constexpr double kNothing = 1e-3;
  return ratio.lower < kNothing && ratio.upper > 1 / kNothing;
}

}  // namespace

std::string ratio_words(const energy::EnergyRatio& ratio) {
  const double off = 100 * (ratio.ratio.value - 1);
  const double half = half_percent(ratio);
  constexpr double kTimes = 3.0;  // from which on a ratio says more than a difference
  const Interval& times = ratio.ratio;
  if (times.value >= kTimes && half < 100 * times.value) {
    return fmt::format("{} times ({} to {}) as much", plain(times.value, 2), plain(times.lower, 2),
                       plain(times.upper, 2));
  }
  if (may_be_nothing(times)) {
    return "from nothing to over 1000 times as much";
  }
  if (!(half < 100)) {
    return fmt::format("{:.2g} to {:.2g} times as much", std::max(0.0, times.lower), times.upper);
  }
  const int decimals = decimals_for(half);
  return fmt::format("{:.{}f} % ± {:.{}f} % {}", std::abs(off), decimals, half, decimals,
                     off < 0 ? "less" : "more");
}

std::string verdict_sentence(const EnergyComparison& comparison) {
  return verdict_words(comparison) +
         (comparison.resolved ? "" : ", in doubt for the reasons given");
}

std::string gain_sentence(const EnergyComparison& comparison) {
  if (comparison.gross->gain_cancels) {
    return comparison.a.runs.front().devices.size() > 1
               ? "the sensors' gains nearly cancel: both ran on the same GPUs"
               : "the sensor's gain cancels: both ran on the same GPU";
  }
  return same_sources(comparison)
             ? "the gain does not cancel: the same GPU and source, calibrated in different ways"
             : "the gains of two sensors are in it: not the same GPU and source";
}

std::vector<std::vector<std::string>> ratio_budget_cells(const energy::EnergyRatio& ratio) {
  const double variance = variance_of(ratio.budget);
  std::vector<std::vector<std::string>> rows;
  for (const uncertainty::Term& term : ratio.budget) {
    rows.push_back({std::string(uncertainty::text_of(term.cause)),
                    std::string(1, uncertainty::type_of(term.cause)),
                    fmt::format("{:.3g} %", 100 * term.u), share_of_variance(term.u, variance)});
  }
  return rows;
}

std::string comparison_text(const EnergyComparison& comparison, const TextOptions& options) {
  const Paint paint(options.colour);
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text = " Energy of B against A:\n" + side_rows(comparison, width);
  if (!comparison.gross) {
    text += hanging("   ", "no ratio: no run of both has an energy, for the reasons below", width);
  } else {
    text += "   " + paint.bold(verdict_sentence(comparison)) + "  # 95 % interval\n";
    if (comparison.net) {
      const bool tells = !may_be_nothing(comparison.net->ratio);
      text += fmt::format("   {} above idle\n",
                          tells ? ratio_words(*comparison.net) : "too little to compare");
    }
    text += work_words(comparison, width);
    text += "   " + gain_sentence(comparison) + "\n";
    text += truth_words(comparison);
    if (options.verbose) text += terms_text(*comparison.gross);
  }
  text += reasons_text(comparison, options.verbose, width);
  if (comparison.needs_rounds) {
    text += hanging(
        "   needs     ",
        fmt::format("about {} rounds for ± {:.2g} %; ask for them with --repeat {}",
                    *comparison.needs_rounds, 100 * *comparison.target, *comparison.needs_rounds),
        width);
  }
  for (const std::string& note : comparison.notes) text += hanging(" note: ", note, width);
  return text;
}

}  // namespace truewatt::report
