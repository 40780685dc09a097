#include "truewatt/report/memory/memory_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "truewatt/report/memory/chain_figures.hpp"
#include "truewatt/report/memory/memory_words.hpp"
#include "truewatt/report/memory/published_memory.hpp"
#include "truewatt/report/page/figure.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

using memory::Level;
using memory::LevelRow;
using memory::Table;

/// A part of the multiprocessors tells a sector's energy as well as all, and so does time.
bool is_in_doubt(const LevelRow& row) {
  using memory::Reason;
  return std::any_of(row.reasons.begin(), row.reasons.end(), [](Reason reason) {
    return reason != Reason::not_counted && reason != Reason::fewer_blocks;
  });
}

/// Millijoules, of what is in picojoules else.
constexpr double kMillijoule = 1e-9;
constexpr double kKiB = 1024.0;
constexpr double kMiB = 1024.0 * 1024.0;

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
  return published_pj(row.key.level);
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
                    {"doubt", is_in_doubt(row)}});
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

constexpr std::string_view kPublished = "A100, published";

/// From no misses to all of them, flat on both sides.
void add_published_step(Json& series, const PublishedStep& step, double unit,
                        const std::vector<double>& bytes) {
  const double begin = step.begin_bytes / unit;
  const double end = step.end_bytes / unit;
  series.push_back(xy_curve(
      kPublished, "curve", "dashes",
      {std::min(bytes.front(), begin), begin, end, std::max(bytes.back(), end)}, {0, 0, 100, 100}));
  series.push_back(
      xy_curve("the two numbers that it gives", "curve", "points", {begin, end}, {0, 100}));
}

/// A cache's curve and what to call it.
struct CacheCurve {
  Level level = Level::l1;
  const std::vector<memory::CachePoint>& points;
  std::optional<double> size;
  double unit = kKiB;
  std::string_view unit_name;
  std::string_view published;  ///< in words
};

/// Misses where they were counted, else the time of a sector.
Figure cache_figure(const CacheCurve& curve) {
  std::vector<double> bytes;
  std::vector<double> heights;
  bool counted = true;
  for (const memory::CachePoint& point : curve.points)
    counted = counted && point.misses.has_value();
  for (const memory::CachePoint& point : curve.points) {
    bytes.push_back(point.bytes / curve.unit);
    heights.push_back(counted ? 100 * *point.misses : 1e12 * point.seconds);
  }
  const std::string_view name = name_of(curve.level);
  Figure figure{.title = fmt::format("{}: {}", name, size_text(curve.size))};
  figure.caption = counted ? fmt::format("Sectors that {} did not have, by the array's size.", name)
                           : "Time of a sector, by the array's size.";
  figure.caption +=
      fmt::format(" {}: where an A100's misses rise, {} (Delestrac et al. 2024, Fig. 2).",
                  counted ? "Dashes" : "Shaded", curve.published);
  figure.description = fmt::format("Misses of {} against the size of what is walked", name);
  Json guides = Json::array();
  if (curve.size) guides.push_back({{"name", "size"}, {"x", *curve.size / curve.unit}});
  Json series = Json::array({xy_curve("walks", "power-instant", "line", bytes, heights)});
  const auto published = published_step(curve.level);
  if (published && counted) add_published_step(series, *published, curve.unit, bytes);
  if (published && !counted) {
    guides.push_back({{"name", kPublished},
                      {"lower", published->begin_bytes / curve.unit},
                      {"upper", published->end_bytes / curve.unit}});
  }
  figure.data = {{"x_label", fmt::format("array in {}", curve.unit_name)},
                 {"y_label", counted ? "misses in %" : "time of a sector in ps"},
                 {"log_x", true},
                 {"zero", true},
                 {"guides", std::move(guides)},
                 {"series", std::move(series)}};
  return figure;
}

std::vector<Figure> cache_figures(const Table& table) {
  std::vector<Figure> figures;
  const memory::Caches& caches = table.caches;
  const CacheCurve curves[] = {
      {Level::l1, caches.l1_curve, caches.l1_bytes, kKiB, "KiB", "from 150 to 190 kB"},
      {Level::l2, caches.l2_curve, caches.l2_bytes, kMiB, "MiB", "from 15 to 22 MB"}};
  for (const CacheCurve& curve : curves) {
    if (!curve.points.empty()) figures.push_back(cache_figure(curve));
  }
  return figures;
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
  add_section(frame, "Parallelism", chain_figures(table), folded(sweep_table(table), false));
  if (!table.products.empty()) {
    add_section(frame, "Products of matrices", {products_figure(table)},
                to_html(products_table(table)) + "\n");
  }
  for (const std::string& note : table.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
