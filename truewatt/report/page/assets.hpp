#pragma once

#include <string_view>

namespace truewatt::report {

/// Files that embed_assets.cmake put into the library: our own page template, style sheet and
/// scripts (assets/), published values (assets/published/), and the distribution's minified
/// dygraphs and Chart.js.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kHeadJs;
extern const std::string_view kPageJs;
extern const std::string_view kDygraphsCss;
extern const std::string_view kDygraphsJs;
extern const std::string_view kChartJs;
extern const std::string_view kPublishedConvergence;
extern const std::string_view kPublishedErrors;
extern const std::string_view kPublishedInstructions;
extern const std::string_view kPublishedValues;

}  // namespace truewatt::report
