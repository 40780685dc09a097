#include "truewatt/report/memory/memory_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "truewatt/report/memory/memory_words.hpp"
#include "truewatt/report/page/figure.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

using memory::Level;
using memory::LevelRow;
using memory::Table;

/// Millijoules, of what is in picojoules else.
constexpr double kMillijoule = 1e-9;
constexpr double kKiB = 1024.0;
constexpr double kMiB = 1024.0 * 1024.0;
/// Nanojoules of a division (Delestrac et al. 2024, section VI-D).
constexpr double kPublishedDivision = 2.0;

std::string_view role_of(Level level) {
  switch (level) {
    case Level::shared:
      return "power-usage";
    case Level::l1:
      return "power-instant";
    case Level::l2:
      return "power-average";
    case Level::dram:
      break;
  }
  return "power-samples";
}

/// A number that no line break parts from its interval.
std::string unbroken(std::string text) {
  constexpr std::string_view kUnbroken = "\u00a0";
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at)) {
    text.replace(at, 1, kUnbroken);
  }
  return text;
}

std::string cell_of(const std::optional<Interval>& joules, double factor = 1.0) {
  return unbroken(sector_text(joules, factor));
}

/// Of a row that is not to be trusted the remark is all.
std::string cell_of(const LevelRow& row, const std::optional<Interval>& joules,
                    double factor = 1.0) {
  return row.valid || !joules ? cell_of(joules, factor) : "invalid";
}

/// Published are loads, of data that the authors do not name.
Json published_of(const LevelRow& row) {
  const bool load = row.key.operation == kernels::MemoryOperation::load;
  if (!load || row.key.data != kernels::Data::random) return nullptr;
  return *published_pj(row.key.level);
}

Figure levels_figure(const Table& table) {
  Figure figure{.kind = FigureKind::intervals,
                .title = "Energy of a 32-byte sector",
                .caption =
                    "All that a sector costs on its way, above idle and above spinning, with "
                    "95 % intervals on this sensor's scale. Hollow dots are in doubt. Diamonds: "
                    "lower bounds of an A100's loads at 1065 MHz (Delestrac et al. 2024).",
                .wide = true};
  figure.description = "Energy per sector by level, operation and data";
  Json rows = Json::array();
  for (const LevelRow& row : table.levels) {
    if (!row.valid || !row.sector_j) continue;
    rows.push_back({{"name", title_of(row)},
                    {"value", kPicoOfJoule * row.sector_j->value},
                    {"lower", kPicoOfJoule * row.sector_j->lower},
                    {"upper", kPicoOfJoule * row.sector_j->upper},
                    {"text", sector_text(row.sector_j) + " pJ"},
                    {"published", published_of(row)},
                    {"doubt", !reasons_text(row).empty()}});
  }
  figure.data = {{"axis", "pJ"}, {"rows", std::move(rows)}};
  return figure;
}

HtmlTable levels_table(const Table& table) {
  HtmlTable html{"Picojoules; random bits where it does not say zeros",
                 {"Access", "Per sector", "Per byte", "Beyond the level before, per byte",
                  "Above idle, per sector", "Rate", "Power", "Served there", "Remarks"},
                 {}};
  for (const LevelRow& row : table.levels) {
    const double byte = 1.0 / memory::kSectorBytes;
    html.rows.push_back(
        {title_of(row), cell_of(row, row.sector_j), cell_of(row, row.sector_j, byte),
         cell_of(row, row.increment_j, byte), cell_of(row, row.above_idle_j),
         row.bytes_per_s ? unbroken(fmt::format("{:.0f} GB/s", *row.bytes_per_s / 1e9)) : "",
         row.power_w ? unbroken(fmt::format("{:.0f} W", *row.power_w)) : "",
         row.served ? unbroken(fmt::format("{:.1f} %", 100 * *row.served)) : "",
         reasons_text(row)});
  }
  return html;
}

/// Misses where they were counted, else the time of a sector.
Figure cache_figure(const std::vector<memory::CachePoint>& curve, std::string_view name,
                    double unit, std::string_view unit_name, const std::optional<double>& size) {
  std::vector<double> bytes;
  std::vector<double> heights;
  bool counted = true;
  for (const memory::CachePoint& point : curve) counted = counted && point.misses.has_value();
  for (const memory::CachePoint& point : curve) {
    bytes.push_back(point.bytes / unit);
    heights.push_back(counted ? 100 * *point.misses : 1e12 * point.seconds);
  }
  Figure figure{.title = fmt::format("{}: {}", name, size_text(size))};
  figure.caption = counted ? fmt::format("Sectors that {} did not have, by the array's size.", name)
                           : "Time of a sector, by the array's size.";
  figure.caption += " As in Fig. 2 of Delestrac et al.";
  figure.description = fmt::format("Misses of {} against the size of what is walked", name);
  Json guides = Json::array();
  if (size) guides.push_back({{"name", "size"}, {"x", *size / unit}});
  figure.data = {
      {"x_label", fmt::format("array in {}", unit_name)},
      {"y_label", counted ? "misses in %" : "time of a sector in ps"},
      {"log_x", true},
      {"zero", true},
      {"guides", std::move(guides)},
      {"series", Json::array({xy_curve("walks", "power-instant", "line", bytes, heights)})}};
  return figure;
}

std::vector<Figure> cache_figures(const Table& table) {
  std::vector<Figure> figures;
  if (!table.caches.l1_curve.empty()) {
    figures.push_back(
        cache_figure(table.caches.l1_curve, "L1", kKiB, "KiB", table.caches.l1_bytes));
  }
  if (!table.caches.l2_curve.empty()) {
    figures.push_back(
        cache_figure(table.caches.l2_curve, "L2", kMiB, "MiB", table.caches.l2_bytes));
  }
  return figures;
}

Figure parallel_figure(const Table& table) {
  Json series = Json::array();
  for (const Level level : memory::kAllLevels) {
    std::vector<double> threads;
    std::vector<double> energies;
    for (const memory::SweepPoint& point : table.sweep) {
      if (point.level != level || !point.sector_j || point.sector_j->value <= 0) continue;
      if (point.parallel.share < 1.0) continue;
      threads.push_back(point.parallel.threads);
      energies.push_back(kPicoOfJoule * point.sector_j->value);
    }
    if (threads.empty()) continue;
    series.push_back(xy_curve(name_of(level), role_of(level), "line", threads, energies));
  }
  for (const Level level : memory::kAllLevels) {
    const double published = *published_pj(level);
    series.push_back(xy_curve("A100, published, in the level's colour", role_of(level), "dashes",
                              {1, 1024}, {published, published}));
  }
  Figure figure{.title = "Energy of a sector against parallelism", .wide = true};
  figure.caption =
      "Chains of 8-byte loads above idle, a block on every multiprocessor: with few "
      "threads the board mostly waits, and all it draws is charged to few sectors. "
      "As in Figs. 6 and 7 of Delestrac et al.; dashes: their lower bounds.";
  figure.description = "Energy per sector by threads of a block and level";
  figure.data = {{"x_label", "threads of a block"},
                 {"y_label", "pJ per sector"},
                 {"log_x", true},
                 {"log_y", true},
                 {"guides", Json::array()},
                 {"series", std::move(series)}};
  return figure;
}

/// Known to half of it: what is not would only show the noise.
bool is_known(const std::optional<Interval>& joules) {
  return joules && joules->upper - joules->lower < joules->value;
}

Figure division_figure(const Table& table) {
  Json series = Json::array();
  for (const Level level : {Level::l1, Level::l2, Level::dram}) {
    std::vector<double> threads;
    std::vector<double> energies;
    for (const memory::SweepPoint& point : table.sweep) {
      if (point.level != level || !is_known(point.division_j)) continue;
      threads.push_back(point.parallel.threads);
      energies.push_back(1e9 * point.division_j->value);
    }
    if (!threads.empty()) {
      series.push_back(xy_curve(name_of(level), role_of(level), "line", threads, energies));
    }
  }
  series.push_back(xy_curve("A100, published", "curve", "dashes", {1, 1024},
                            {kPublishedDivision, kPublishedDivision}));
  Figure figure{.title = "A division beside each load", .wide = true};
  figure.caption =
      "The difference of chains with and without a div.u32, of a thread, above spinning, where it "
      "is known to half of itself: what it costs should not depend on the level. As in Fig. 8 of "
      "Delestrac et al.; dashes: their value from 8 threads on.";
  figure.description = "Energy of a division by threads of a block and level";
  figure.data = {{"x_label", "threads of a block"},
                 {"y_label", "nJ per division"},
                 {"log_x", true},
                 {"log_y", true},
                 {"guides", Json::array()},
                 {"series", std::move(series)}};
  return figure;
}

/// Of the fitted line, which goes through the mean of its points.
double height_at(const memory::AccessLine& line, double accesses) {
  double height = 0.0;
  for (const memory::LinePoint& point : line.points) {
    height += point.joules + line.sector_j * (accesses - point.accesses);
  }
  return height / static_cast<double>(line.points.size());
}

Figure line_figure(const memory::AccessLine& line) {
  std::vector<double> accesses;
  std::vector<double> joules;
  for (const memory::LinePoint& point : line.points) {
    accesses.push_back(point.accesses / 1e9);
    joules.push_back(point.joules);
  }
  const auto [first, last] = std::minmax_element(accesses.begin(), accesses.end());
  Figure figure{.title = fmt::format("Energy against accesses, {} {} a block", line.threads,
                                     line.threads == 1 ? "thread" : "threads")};
  figure.caption = fmt::format(
      "Loads that L1 serves, above idle: {:.0f} pJ a sector, R² = {:.3f}. "
      "As in Fig. 5 of Delestrac et al. (0.96 and 0.99).",
      kPicoOfJoule * line.sector_j, line.r_squared);
  figure.description = "Energy against the number of accesses";
  figure.data = {
      {"x_label", "sectors in thousand millions"},
      {"y_label", "energy in J"},
      {"x_range", {0.0, 1.05 * *last}},
      {"zero", true},
      {"guides", Json::array()},
      {"series",
       Json::array({xy_curve("runs", "power-instant", "points", accesses, joules),
                    xy_curve("line", "curve", "line", {*first, *last},
                             {height_at(line, 1e9 * *first), height_at(line, 1e9 * *last)})})}};
  return figure;
}

HtmlTable sweep_table(const Table& table) {
  HtmlTable html{"Picojoules of a sector above idle, and of a division above spinning",
                 {"Threads", "shared", "L1", "L2", "DRAM", "div.u32, shared", "div.u32, L1",
                  "div.u32, L2", "div.u32, DRAM", "R² of the runs"},
                 {}};
  for (const memory::Parallelism& parallel : parallelisms_of(table)) {
    std::vector<std::string> row(html.header.size());
    row.front() = words(parallel);
    row.back() = fit_text(table, parallel);
    for (const memory::SweepPoint& point : table.sweep) {
      if (point.parallel != parallel) continue;
      const std::size_t column = 1 + static_cast<std::size_t>(point.level);
      row[column] = cell_of(point.sector_j);
      row[column + memory::kLevels] = cell_of(point.division_j);
    }
    html.rows.push_back(std::move(row));
  }
  return html;
}

std::vector<Figure> parallel_figures(const Table& table) {
  std::vector<Figure> figures;
  if (table.sweep.empty()) return figures;
  figures.push_back(parallel_figure(table));
  for (const memory::AccessLine& line : table.lines) {
    if (!line.points.empty()) figures.push_back(line_figure(line));
  }
  figures.push_back(division_figure(table));
  return figures;
}

std::string folded(const HtmlTable& table, bool open) {
  return element("details", open ? "open" : "",
                 element("summary", "", "Numbers") + "\n" + to_html(table)) +
         "\n";
}

HtmlTable products_table(const Table& table) {
  HtmlTable html{"Millijoules of one product",
                 {"Rows", "Measured above idle", "Predicted", "Static", "Shared", "L1", "L2",
                  "DRAM", "Computing", "Spinning"},
                 {}};
  const auto part = [](double joules) { return fmt::format("{:.3g}", 1e3 * joules); };
  for (const memory::PredictedProduct& one : table.products) {
    html.rows.push_back({std::to_string(one.size), sector_text(one.measured_j, kMillijoule),
                         sector_text(one.predicted_j, kMillijoule), part(one.static_j),
                         part(one.levels_j[0]), part(one.levels_j[1]), part(one.levels_j[2]),
                         part(one.levels_j[3]), part(one.computing_j), part(one.spinning_j)});
  }
  return html;
}

/// Predicted against measured, on the line where they agree.
Figure products_figure(const Table& table) {
  std::vector<double> rows;
  std::vector<double> measured;
  std::vector<double> predicted;
  for (const memory::PredictedProduct& one : table.products) {
    rows.push_back(one.size);
    measured.push_back(1e3 * one.measured_j.value);
    predicted.push_back(1e3 * one.predicted_j.value);
  }
  Figure figure{.title = "Products of matrices"};
  figure.caption =
      "Energy of one product above idle: measured, and predicted from what its sectors "
      "cost by this table. ";
  figure.caption += table.products.front().counted
                        ? "Sectors are counted."
                        : "Sectors are computed from tiles and the size of L2, not counted.";
  figure.caption += " As in Fig. 9 of Delestrac et al.";
  figure.description = "Energy of products of matrices, measured and predicted";
  figure.data = {
      {"x_label", "rows"},
      {"y_label", "energy in mJ"},
      {"log_x", true},
      {"log_y", true},
      {"guides", Json::array()},
      {"series", Json::array({xy_curve("measured", "power-instant", "points", rows, measured),
                              xy_curve("predicted", "model", "line", rows, predicted)})}};
  return figure;
}

void add_section(PageFrame& frame, const std::string& title, const std::vector<Figure>& figures,
                 const std::string& more) {
  if (figures.empty()) return;
  const std::size_t index = frame.section_titles.size();
  frame.sections += figure_section(
      index, title, "", figures_html(figures, index) + more + figures_json(figures, index));
  frame.section_titles.push_back(title);
}

}  // namespace

std::string memory_html(const Table& table,
                        const std::vector<std::pair<std::string, std::string>>& metadata) {
  const std::string name = table.device.name.empty() ? "unnamed GPU" : table.device.name;
  PageFrame frame{.title = "truewatt memory: " + name,
                  .text = "Energy per memory access by level.",
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = metadata};
  for (const std::string& line : standing_of(table)) {
    frame.summary += element("p", "", prose_html(line)) + "\n";
  }
  if (!table.levels.empty()) {
    add_section(frame, "Levels", {levels_figure(table)}, folded(levels_table(table), true));
  }
  add_section(frame, "Caches", cache_figures(table), "");
  add_section(frame, "Parallelism", parallel_figures(table), folded(sweep_table(table), false));
  if (!table.products.empty()) {
    add_section(frame, "Products of matrices", {products_figure(table)},
                to_html(products_table(table)) + "\n");
  }
  for (const std::string& note : table.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
