#include "truewatt/report/energy/html.hpp"

#include "truewatt/report/energy/html_section.hpp"
#include "truewatt/report/energy/html_summary.hpp"
#include "truewatt/report/energy/section_curves.hpp"
#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/page/html_page.hpp"

namespace truewatt::report {
namespace {

std::string sections_html(const Page& page) {
  SectionContext context;
  context.points_per_series = points_per_series(page);
  std::string html;
  for (const Section& section : page.sections) {
    // The host's meters have gains of their own.
    const bool host = is_host(section.recording.device);
    context.gain_standard_uncertainty = host ? 0.0 : page.gain_standard_uncertainty;
    html += section_html(section, context);
    ++context.index;
  }
  return html;
}

}  // namespace

std::string render_html(const Page& page) {
  PageFrame frame{.title = page.title,
                  .text = page.text,
                  .summary = summary_html(page),
                  .gain_standard_uncertainty = page.gain_standard_uncertainty,
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = page.metadata};
  for (const Section& section : page.sections) frame.section_titles.push_back(section.title);
  frame.sections = sections_html(page);
  return page_html(frame);
}

}  // namespace truewatt::report
