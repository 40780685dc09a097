#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace truewatt::report {

/// What stands around the sections of every page: plain text, but for the sections.
struct PageFrame {
  std::string title;
  std::string text;
  std::string summary;                      ///< HTML, before everything else; empty: none
  double gain_standard_uncertainty = 0.0;   ///< drawn as the traces' error band
  std::string without_scripts;              ///< what a page without JavaScript still tells
  std::vector<std::string> section_titles;  ///< of the sections, in order
  std::string sections;                     ///< HTML
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order shown
};

/// The id of a section that links lead to.
std::string section_id(std::size_t index);

/// The whole file: template, styles, scripts and what the frame holds.
std::string page_html(const PageFrame& frame);

/// A section of figures and tables: `index` makes its id, `content` is HTML, the rest plain text.
std::string figure_section(std::size_t index, const std::string& title, const std::string& lede,
                           const std::string& content);

}  // namespace truewatt::report
