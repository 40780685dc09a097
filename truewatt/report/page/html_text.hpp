#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace truewatt::report {

/// Plain text as HTML text or attribute value: & < > " and ' become character references.
std::string escape_html(std::string_view text);

/// A sentence as HTML: escaped, `words in backticks` as code, no line break before a percent sign.
std::string prose_html(std::string_view text);

/// `<tag attributes>content</tag>`; attributes and content are HTML already.
std::string element(std::string_view tag, std::string_view attributes, std::string_view content);

/// JSON text that may stand inside <script type="application/json">: no '<', '>' or '&' in it.
std::string script_safe(std::string_view json);

/// `text` with every `{{name}}` replaced by its value; values are not searched again. A name that
/// is not in the map is left as it is.
std::string fill_template(std::string_view text,
                          const std::map<std::string, std::string, std::less<>>& values);

/// A table of plain text that scrolls sideways by itself when it is too wide.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< the first cell of a row heads it
};
/// "" for a table without rows.
std::string to_html(const HtmlTable& table);

}  // namespace truewatt::report
