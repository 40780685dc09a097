#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "truewatt/base/format.hpp"
#include "truewatt/model/metered_boards.hpp"
#include "truewatt/report/catalogue/catalogue.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using catalogue::Behaviour;
using catalogue::Entry;
using catalogue::Era;
using catalogue::Family;
using catalogue::Finding;
using catalogue::Response;

const SourceId kUsage{SourceKind::power_usage, Scope::gpu};
const SourceId kAverage{SourceKind::power_average, Scope::gpu};
const SourceId kInstant{SourceKind::power_instant, Scope::gpu};

double in_ms(Seconds duration) { return 1000 * duration.count(); }

std::string ms_cell(const std::optional<Seconds>& duration) {
  return duration ? fmt::format("{:g} ms", in_ms(*duration)) : "–";
}

/// The code where it is one of Fig. 14's digits.
std::string code_cell(const Behaviour& behaviour) {
  return std::string(behaviour.code.size() == 1 ? behaviour.code : "–");
}

/// `1 100/25`: code, update period and window in ms.
std::string behaviour_cell(const Behaviour& behaviour) {
  if (!behaviour.supported()) return "–";
  const std::string code = behaviour.code.size() == 1 ? std::string(behaviour.code) + " " : "  ";
  if (behaviour.response == Response::estimated) return code + "estimated";
  const std::string update = fmt::format("{:g}", in_ms(*behaviour.update_period));
  if (!behaviour.averaging_window) return code + update + " log";
  return fmt::format("{}{}/{:g}", code, update, in_ms(*behaviour.averaging_window));
}

struct Cell {
  Era era = Era::post_530;
  SourceId source;
};
std::string table_cell(Family family, const Cell& cell) {
  for (const Entry& entry : catalogue::entries(family)) {
    if (entry.era == cell.era && entry.source == cell.source) {
      return behaviour_cell(*entry.behaviour);
    }
  }
  return "?";
}

bool is_contradicted(Family family) {
  const std::vector<Finding> found = catalogue::findings(family);
  return std::any_of(found.begin(), found.end(), [](const Finding& finding) {
    return finding.contradicts && !finding.code.empty();
  });
}

std::string table_text() {
  TextTable table;
  table.left_aligned = 6;
  table.head = {{"family", "before 530", "530", "after 530", "", ""},
                {"", "usage", "usage", "usage", "average", "instant"}};
  for (const Family family : catalogue::families()) {
    std::vector<std::string> row = {std::string(name_of(family)) +
                                    (is_contradicted(family) ? "*" : "")};
    for (const Cell& cell :
         {Cell{Era::pre_530, kUsage}, Cell{Era::v530, kUsage}, Cell{Era::post_530, kUsage},
          Cell{Era::post_530, kAverage}, Cell{Era::post_530, kInstant}}) {
      row.push_back(table_cell(family, cell));
    }
    table.rows.push_back(std::move(row));
  }
  return to_text(table, " ");
}

/// Half-width of a 95 % interval.
double half_width(const Uncertain& value) { return interval95(value).upper - value.value; }

std::string prior_text(std::size_t width) {
  const catalogue::BoardPrior prior = catalogue::board_prior();
  const catalogue::BoardSpread spread = catalogue::board_spread();
  return hanging(" ",
                 fmt::format("An uncalibrated board: gain 1 ± {:.3f}, offset "
                             "0 ± {:.1f} W (95 %), from {} boards of Fig. 9; left out: {}.",
                             half_width(prior.gain), half_width(prior.offset_w), spread.gain.count,
                             fmt::join(spread.excluded, ", ")),
                 width);
}

std::string legend_text(std::size_t width) {
  const auto line = [width](std::string_view label, std::string_view text) {
    return hanging(fmt::format("   {:<11}", label), text, width);
  };
  return line("1 100/25", "code of Fig. 14, update period and averaging window in ms") +
         line("log", "rises like a charging capacitor, over several updates; no window is given") +
         line("estimated", "computed by the driver, not measured") + line("–", "not supported") +
         line("?", "nothing is published") +
         line("usage",
              "power.usage, which is nvidia-smi's power.draw; the others are "
              "power.draw.average and power.draw.instant") +
         line("before 530",
              "drivers released before 30 March 2023, after 530: since then, "
              "whatever their number; the sources that answer show which it is") +
         line("*", "single boards contradict the figure; `truewatt catalogue NAME` shows how");
}

std::string whole_text(std::size_t width) {
  return "\n" +
         hanging(" ",
                 "How power readings average the power, by family and driver: Fig. 14 of Yang, "
                 "Adamek, Armour (SC'24)",
                 width) +
         "\n" + table_text() + "\n" + legend_text(width) + "\n" + prior_text(width);
}

std::string entries_text(Family family, std::size_t width) {
  TextTable table;
  table.left_aligned = 4;
  table.head = {{"drivers", "source", "code", "reading rises", "update", "window"}};
  for (const Entry& entry : catalogue::entries(family)) {
    const Behaviour& behaviour = *entry.behaviour;
    table.rows.push_back({std::string(name_of(entry.era)), to_string(entry.source),
                          code_cell(behaviour), std::string(behaviour.rise),
                          ms_cell(behaviour.update_period), ms_cell(behaviour.averaging_window)});
  }
  const std::string_view origin = family == Family::gh200 ? "Section VI" : "Fig. 14";
  return fmt::format("   {} of Yang, Adamek, Armour (SC'24)\n", origin) + to_text(table, "   ") +
         hanging("   ", "530 stands for its day, 30 March 2023, whatever a driver's number.",
                 width);
}

std::string findings_text(Family family, std::size_t width) {
  std::string text;
  for (const Finding& finding : catalogue::findings(family)) {
    std::string about(name_of(finding.provenance));
    if (!finding.board.empty()) about += fmt::format(", {}", finding.board);
    text += hanging(finding.contradicts ? "   ! " : "   - ",
                    fmt::format("{}: {}", about, finding.text), width);
  }
  if (text.empty()) return "";
  return "\n   Beside the figure (! contradicts it):\n" + text;
}

/// Lines of Table I and boards of Fig. 9 are shown for the product, or for the whole family.
bool is_shown(std::string_view model, Family family, const CatalogueView& view,
              Family family_shown) {
  return family == family_shown && (!view.product || model == view.product->model);
}

std::string tested_text(const CatalogueView& view, Family family, std::size_t width) {
  std::vector<std::string> counts;
  for (const catalogue::TestedModel& tested : catalogue::tested_models()) {
    if (!is_shown(tested.model, tested.family, view, family)) continue;
    counts.push_back(fmt::format("{} x {}", tested.count, tested.name));
  }
  const std::string text = counts.empty()
                               ? std::string("none; what is said of its family stands for it")
                               : fmt::format("{}", fmt::join(counts, ", "));
  return "\n" + hanging("   Boards tested (Table I): ", text, width);
}

std::string boards_text(const CatalogueView& view, Family family, std::size_t width) {
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"Against a meter (Fig. 9)", "gain", "offset"}};
  std::string excluded;
  for (const catalogue::MeteredBoard& metered : catalogue::metered_boards()) {
    if (!is_shown(metered.model, metered.family, view, family)) continue;
    table.rows.push_back({"  " + std::string(metered.board), fmt::format("{:.4f}", metered.gain),
                          fmt::format("{:+.2f} W", metered.offset.value())});
    if (metered.excluded.empty()) continue;
    excluded += hanging("     ", fmt::format("{}: {}", metered.board, metered.excluded), width);
  }
  return table.rows.empty() ? "" : "\n" + to_text(table, "   ") + excluded;
}

std::string family_text(const CatalogueView& view, Family family, std::size_t width) {
  const std::string title = view.product
                                ? fmt::format("{}: {}", view.product->model, name_of(family))
                                : std::string(name_of(family));
  return fmt::format("\n {}\n\n", title) + entries_text(family, width) +
         findings_text(family, width) + tested_text(view, family, width) +
         boards_text(view, family, width);
}

/// Without the share that format_interval adds.
std::string interval_cell(const Interval& seconds) {
  const std::string text = format_interval(scaled(seconds, 1000.0), "ms");
  return text.substr(0, text.find(" ("));
}

std::string quantities_text(const catalogue::SourceComparison& comparison) {
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"", "measured", "published", ""}};
  for (const catalogue::ComparedQuantity& quantity : comparison.quantities) {
    table.rows.push_back({quantity.name == "update_period_s" ? "update period" : "window (W + 2C)",
                          interval_cell(quantity.measured), interval_cell(quantity.published),
                          quantity.agrees ? "agrees" : "differs"});
  }
  return table.rows.empty() ? "" : to_text(table, "     ");
}

/// What the source is like when it is not as published.
std::string likeness_text(const catalogue::SourceComparison& comparison) {
  std::string text = "fits no code of Fig. 14";
  if (comparison.best_code) text = "fits code " + *comparison.best_code + " best";
  const bool same =
      comparison.against && comparison.best_code == comparison.against->behaviour->code;
  if (same) text = "no other code fits better";
  if (comparison.response && comparison.quantities.empty()) {
    text += fmt::format(", response {}", name_of(*comparison.response));
  }
  return text;
}

std::string verdict_of(const catalogue::SourceComparison& comparison) {
  if (!comparison.against) {
    const std::string none = "nothing is published about it";
    return comparison.best_code ? none + " here; " + likeness_text(comparison) : none;
  }
  const Behaviour& published = *comparison.against->behaviour;
  const std::string what = fmt::format("code {} ({}, drivers {})", published.code, published.rise,
                                       name_of(comparison.against->era));
  if (!comparison.agrees) return "too little was measured to distinguish it from " + what;
  if (*comparison.agrees) return "agrees with " + what;
  return "differs from " + what + "; " + likeness_text(comparison);
}

std::string comparison_text(const catalogue::SourceComparison& comparison, std::size_t width) {
  std::string text =
      hanging(fmt::format("   {}: ", to_string(comparison.source)), verdict_of(comparison), width) +
      quantities_text(comparison);
  for (const Finding& finding : comparison.also) {
    text += hanging(
        "     as found before: ",
        fmt::format("{} ({}): {}", finding.board, name_of(finding.provenance), finding.text),
        width);
  }
  return text;
}

std::string profile_text(const ComparedProfile& profile, std::size_t width) {
  const std::string against = profile.family
                                  ? "compared with " + std::string(name_of(*profile.family))
                                  : std::string("of a device that is not in the catalogue");
  std::string text = "\n" +
                     hanging(" ",
                             fmt::format("Profile {} of {} (driver {}), {}",
                                         printable(profile.path), printable(profile.device.name),
                                         printable(profile.device.driver), against),
                             width) +
                     "\n";
  for (const auto& comparison : profile.sources) text += comparison_text(comparison, width);
  return text;
}

}  // namespace

std::optional<CatalogueView> catalogue_view(const std::string& name) {
  CatalogueView view{.query = name, .product = catalogue::find_product(name)};
  view.families =
      view.product ? std::vector<Family>{view.product->family} : catalogue::families_named(name);
  if (view.families.empty()) return std::nullopt;
  return view;
}

CatalogueView whole_catalogue() {
  const auto all = catalogue::families();
  return {.families = {all.begin(), all.end()}};
}

std::string catalogue_text(const CatalogueView& view, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text;
  if (view.families.size() == catalogue::families().size()) {
    text += whole_text(width);
  } else {
    for (const Family family : view.families) text += family_text(view, family, width);
    if (!view.families.empty()) text += "\n" + prior_text(width);
  }
  if (view.profile) text += profile_text(*view.profile, width);
  return text;
}

}  // namespace truewatt::report
