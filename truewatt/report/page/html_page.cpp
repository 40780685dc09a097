#include "truewatt/report/page/html_page.hpp"

#include <fmt/format.h>

#include "truewatt/base/interval.hpp"
#include "truewatt/report/page/assets.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

std::string contents_html(const std::vector<std::string>& titles) {
  if (titles.size() < 2) return "";
  std::string items;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const std::string link =
        element("a", fmt::format("href=\"#{}\"", section_id(i)), escape_html(titles[i]));
    items += element("li", "", link) + "\n";
  }
  return element("nav", "aria-label=\"Contents\"", element("ol", "", "\n" + items)) + "\n";
}

std::string metadata_html(const PageFrame& frame) {
  HtmlTable table{"How this was measured", {}, {}};
  for (const auto& [name, value] : frame.metadata) table.rows.push_back({name, value});
  return to_html(table);
}

}  // namespace

std::string section_id(std::size_t index) { return fmt::format("section-{}", index + 1); }

std::string page_html(const PageFrame& frame) {
  const double band = kCoverageFactor95 * frame.gain_standard_uncertainty;
  return fill_template(
      kPageHtml,
      {{"title", escape_html(frame.title)},
       {"text", frame.text.empty() ? "" : element("p", "class=\"lede\"", escape_html(frame.text))},
       {"summary",
        frame.summary.empty() ? "" : element("div", "class=\"summary\"", "\n" + frame.summary)},
       {"band", fmt::format("{}", band)},
       {"without_scripts", escape_html(frame.without_scripts)},
       {"contents", contents_html(frame.section_titles)},
       {"sections", frame.sections},
       {"metadata", metadata_html(frame)},
       {"styles", std::string(kDygraphsCss) + "\n" + std::string(kPageCss)},
       {"head_script", std::string(kHeadJs)},
       {"libraries", std::string(kDygraphsJs) + "\n;\n" + std::string(kChartJs)},
       {"page_script", std::string(kPageJs)}});
}

std::string figure_section(std::size_t index, const std::string& title, const std::string& lede,
                           const std::string& content) {
  const std::string id = section_id(index);
  return element("section",
                 fmt::format("id=\"{0}\" class=\"experiment\" aria-labelledby=\"{0}-title\"", id),
                 "\n" + element("h2", fmt::format("id=\"{}-title\"", id), escape_html(title)) +
                     "\n" + element("p", "class=\"lede\"", prose_html(lede)) + "\n" + content) +
         "\n";
}

}  // namespace truewatt::report
