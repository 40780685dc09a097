#include "truewatt/report/memory/chain_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "truewatt/report/memory/memory_words.hpp"
#include "truewatt/report/memory/published_memory.hpp"

namespace truewatt::report {
namespace {

using memory::Level;
using memory::Table;

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

void add_published_threads(Json& series) {
  for (const Level level : memory::kAllLevels) {
    const double published = published_pj(level);
    series.push_back(xy_curve("A100, published, in the level's colour", role_of(level), "dashes",
                              {1, 1024}, {published, published}));
  }
  for (const Level level : memory::kAllLevels) {
    std::vector<double> threads;
    std::vector<double> energies;
    for (const PublishedPoint& point : published_by_threads(level)) {
      threads.push_back(point.threads);
      energies.push_back(point.sector_pj);
    }
    if (threads.empty()) continue;
    series.push_back(
        xy_curve("its numbers by threads", role_of(level), "points", threads, energies));
  }
}

/// Both axes in logarithms.
Json by_threads(const char* y_label, Json series) {
  return {{"x_label", "threads of a block"},
          {"y_label", y_label},
          {"log_x", true},
          {"log_y", true},
          {"guides", Json::array()},
          {"series", std::move(series)}};
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
  add_published_threads(series);
  Figure figure{.title = "Energy of a sector against parallelism", .wide = true};
  figure.caption =
      "Chains of 8-byte loads above idle, a block on every multiprocessor: with few "
      "threads the board mostly waits, and all it draws is charged to few sectors. "
      "As in Figs. 6 and 7 of Delestrac et al. (2024); dashes: their lower bounds. Dots: the "
      "numbers that they give by threads, L1 1600 pJ below 4 threads and 107 at 1024, L2 from 8490 "
      "to 4260 "
      "at few threads (drawn at 1 and 2) and 378.";
  figure.description = "Energy per sector by threads of a block and level";
  figure.data = by_threads("pJ per sector", std::move(series));
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
  figure.data = by_threads("nJ per division", std::move(series));
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

/// The published slope, from the first of our runs on.
void add_published_slope(Json& series, const memory::AccessLine& line, double first, double last) {
  const auto published = published_line(line.threads);
  if (!published) return;
  const double begin = height_at(line, 1e9 * first);
  const double end = begin + published->sector_pj * 1e-12 * 1e9 * (last - first);
  series.push_back(
      xy_curve("A100, published slope", "curve", "dashes", {first, last}, {begin, end}));
}

std::string line_caption(const memory::AccessLine& line) {
  std::string caption =
      fmt::format("Loads that L1 serves, above idle: {:.0f} pJ a sector, R² = {:.3f}.",
                  kPicoOfJoule * line.sector_j, line.r_squared);
  if (const auto published = published_line(line.threads)) {
    caption += fmt::format(
        " Dashes: an A100's slope, {:.0f} pJ, R² = {:.2f} (Delestrac et al. 2024, Fig. 5), from "
        "our "
        "first run on.",
        published->sector_pj, published->r_squared);
  }
  return caption;
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
  figure.caption = line_caption(line);
  figure.description = "Energy against the number of accesses";
  Json series =
      Json::array({xy_curve("runs", "power-instant", "points", accesses, joules),
                   xy_curve("line", "model", "line", {*first, *last},
                            {height_at(line, 1e9 * *first), height_at(line, 1e9 * *last)})});
  add_published_slope(series, line, *first, *last);
  figure.data = {{"x_label", "sectors in thousand millions"},
                 {"y_label", "energy in J"},
                 {"x_range", {0.0, 1.05 * *last}},
                 {"zero", true},
                 {"guides", Json::array()},
                 {"series", std::move(series)}};
  return figure;
}

}  // namespace

std::vector<Figure> chain_figures(const Table& table) {
  std::vector<Figure> figures;
  if (table.sweep.empty()) return figures;
  figures.push_back(parallel_figure(table));
  for (const memory::AccessLine& line : table.lines) {
    if (!line.points.empty()) figures.push_back(line_figure(line));
  }
  figures.push_back(division_figure(table));
  return figures;
}

}  // namespace truewatt::report
