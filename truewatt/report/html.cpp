#include "truewatt/report/html.hpp"

#include <fmt/format.h>

#include <map>

#include "truewatt/base/interval.hpp"
#include "truewatt/report/assets.hpp"
#include "truewatt/report/chart_data.hpp"
#include "truewatt/report/html_section.hpp"
#include "truewatt/report/html_text.hpp"

namespace truewatt::report {
namespace {

std::string contents_html(const Page& page) {
  if (page.sections.size() < 2) return "";
  std::string items;
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const std::string link = element("a", fmt::format("href=\"#{}\"", section_id(i)),
                                     escape_html(page.sections[i].title));
    items += element("li", "", link) + "\n";
  }
  return element("nav", "aria-label=\"Contents\"", element("ol", "", "\n" + items)) + "\n";
}

std::string sections_html(const Page& page) {
  SectionContext context;
  context.points_per_series = points_per_series(page);
  context.gain_standard_uncertainty = page.gain_standard_uncertainty;
  std::string html;
  for (const Section& section : page.sections) {
    html += section_html(section, context);
    ++context.index;
  }
  return html;
}

std::string metadata_html(const Page& page) {
  HtmlTable table{"How this was measured", {}, {}};
  for (const auto& [name, value] : page.metadata) table.rows.push_back({name, value});
  return to_html(table);
}

}  // namespace

std::string render_html(const Page& page) {
  const double band = kCoverageFactor95 * page.gain_standard_uncertainty;
  return fill_template(
      kPageHtml,
      {{"title", escape_html(page.title)},
       {"text", page.text.empty() ? "" : element("p", "class=\"lede\"", escape_html(page.text))},
       {"band", fmt::format("{}", band)},
       {"contents", contents_html(page)},
       {"sections", sections_html(page)},
       {"metadata", metadata_html(page)},
       {"styles", std::string(kDygraphsCss) + "\n" + std::string(kPageCss)},
       {"head_script", std::string(kHeadJs)},
       {"libraries", std::string(kDygraphsJs) + "\n;\n" + std::string(kChartJs)},
       {"page_script", std::string(kPageJs)}});
}

}  // namespace truewatt::report
