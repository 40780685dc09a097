#pragma once

// For tests of pages.

#include <string>

namespace truewatt::report {

/// The page's own markup: without styles, scripts and the data of the charts.
inline std::string markup_of(std::string html) {
  for (const std::string tag : {"script", "style"}) {
    const std::string close = "</" + tag + ">";
    for (auto at = html.find("<" + tag); at != std::string::npos; at = html.find("<" + tag, at)) {
      html.erase(at, html.find(close, at) + close.size() - at);
    }
  }
  return html;
}

}  // namespace truewatt::report
