#include "truewatt/report/page/html_text.hpp"

#include <array>
#include <utility>

namespace truewatt::report {
namespace {

using Replacement = std::pair<char, std::string_view>;

template <std::size_t N>
std::string replaced(std::string_view text, const std::array<Replacement, N>& replacements) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    std::string_view piece(&c, 1);
    for (const auto& [from, to] : replacements) {
      if (c == from) piece = to;
    }
    out.append(piece);
  }
  return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// A number keeps its percent sign on its line, and a short cell stays in one line.
std::string cell_html(std::string_view text) {
  constexpr std::size_t kShort = 12;
  std::string html = escape_html(text);
  replace_all(html, text.size() <= kShort ? " " : " %",
              text.size() <= kShort ? "&nbsp;" : "&nbsp;%");
  return html;
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row += i == 0 ? element("th", "scope=\"row\"", cell_html(cells[i]))
                  : element("td", "", cell_html(cells[i]));
  }
  return element("tr", "", row) + "\n";
}

}  // namespace

std::string escape_html(std::string_view text) {
  static constexpr std::array<Replacement, 5> kReferences = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  return replaced(text, kReferences);
}

std::string prose_html(std::string_view text) {
  std::string html;
  bool in_code = false;
  std::string escaped = escape_html(text);
  replace_all(escaped, " %", "&nbsp;%");
  for (const char c : escaped) {
    if (c != '`') {
      html += c;
      continue;
    }
    html += in_code ? "</code>" : "<code>";
    in_code = !in_code;
  }
  return in_code ? html + "</code>" : html;
}

std::string element(std::string_view tag, std::string_view attributes, std::string_view content) {
  std::string html = "<";
  html.append(tag);
  if (!attributes.empty()) html.append(" ").append(attributes);
  return html.append(">").append(content).append("</").append(tag).append(">");
}

std::string script_safe(std::string_view json) {
  static constexpr std::array<Replacement, 3> kEscapes = {
      {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}}};
  return replaced(json, kEscapes);
}

std::string fill_template(std::string_view text,
                          const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  for (auto open = text.find("{{"); open != std::string_view::npos; open = text.find("{{")) {
    const auto close = text.find("}}", open);
    if (close == std::string_view::npos) break;
    const auto value = values.find(text.substr(open + 2, close - open - 2));
    out.append(text.substr(0, open));
    out.append(value == values.end() ? text.substr(open, close + 2 - open)
                                     : std::string_view(value->second));
    text.remove_prefix(close + 2);
  }
  return out.append(text);
}

std::string to_html(const HtmlTable& table) {
  if (table.rows.empty()) return "";
  std::string head;
  for (const std::string& cell : table.header) {
    head += element("th", "scope=\"col\"", escape_html(cell));
  }
  std::string body;
  for (const auto& row : table.rows) body += row_of(row);
  const std::string caption = escape_html(table.caption);
  return element("div",
                 "class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"" + caption + "\"",
                 element("table", "",
                         element("caption", "", caption) + "\n" +
                             (head.empty() ? "" : element("thead", "", element("tr", "", head))) +
                             "\n" + element("tbody", "", "\n" + body))) +
         "\n";
}

}  // namespace truewatt::report
