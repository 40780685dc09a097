#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/characterize/figures.hpp"

namespace truewatt::report {

/// Everything that the report of a characterization shows.
struct ProfilePage {
  std::string title;
  characterize::ProfileFigures figures;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order shown
};

/// One self-contained HTML file like render_html's: the profile with its reasons in words and the
/// recommended source, then the figures of every source. Below 2 MB: characterize::figures_of
/// limits what is drawn of a long recording. Pure.
std::string render_html(const ProfilePage& page);

}  // namespace truewatt::report
