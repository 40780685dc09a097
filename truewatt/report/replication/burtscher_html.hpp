#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/model/profile.hpp"
#include "truewatt/replication/burtscher/figures.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// Everything that the page of Burtscher 2014's protocol shows.
struct BurtscherPage {
  std::string title;
  Profile profile;
  std::vector<replication::PowerProfileFigures> figures;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order shown
};

/// Power over time as read and as corrected, with t1 to t4 (Figs 1, 3, 7), and the time between
/// changes of the reading below it (Fig. 4). Nothing without readings.
std::vector<Figure> burtscher_figures(const replication::PowerProfileFigures& drawn);

/// One self-contained HTML file like that of a characterization: the tables of burtscher_tables,
/// reasons in words, and the figures of every source. Pure.
std::string burtscher_html(const BurtscherPage& page);

}  // namespace truewatt::report
