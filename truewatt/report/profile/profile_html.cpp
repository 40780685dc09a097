#include "truewatt/report/profile/profile_html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/profile/profile_words.hpp"
#include "truewatt/report/profile/source_figures.hpp"

namespace truewatt::report {
namespace {

constexpr const char* kYangPaper =
    "Figures are named after those of Yang, Adamek, Armour, Accurate and Convenient Energy "
    "Measurements for GPUs (SC'24), drawn here from this device's own readings.";

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100.0 * *share) : "?";
}

/// The code of Fig. 14 that fits, and whether it is what is published of this family.
std::string catalogue_text(const std::optional<CatalogueMatch>& match) {
  if (!match) return "";
  const std::string code = match->code.value_or("none");
  if (!match->agrees) return code;
  return code + (*match->agrees ? ", agrees" : ", differs");
}

/// For a cell: no line break inside the number.
std::string cell(const std::optional<Interval>& seconds) {
  std::string text = milliseconds(seconds);
  const auto spread = text.find(" ± ");
  return spread == std::string::npos ? text : text.replace(spread, 4, "\u00a0±\u00a0");
}

HtmlTable profile_table(const Profile& profile) {
  HtmlTable table{"Every source's observation model, with 95 % intervals",
                  {"Source", "Update (ms)", "Window (ms)", "Lag (ms)", "Delay (ms)", "Response",
                   "Sees", "Verdict", "Fig. 14"},
                  {}};
  for (const SourceProfile& source : profile.sources) {
    table.rows.push_back(
        {to_string(source.source), cell(source.update_period_s), cell(source.averaging_window_s),
         cell(source.time_constant_s), cell(source.delay_s),
         source.response.empty() ? "?" : source.response.code(), share_text(source.duty),
         source.verdict.empty() ? "?" : source.verdict.code(), catalogue_text(source.catalogue)});
  }
  return table;
}

std::string profile_reasons_html(const Profile& profile) {
  std::vector<Coded<ProfileReason>> codes;
  for (const SourceProfile& source : profile.sources) {
    for (const Coded<ProfileReason>& code : source.reasons) {
      if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
    }
  }
  std::string items;
  for (const Coded<ProfileReason>& code : codes) {
    std::string sources;
    for (const SourceProfile& source : profile.sources) {
      if (std::find(source.reasons.begin(), source.reasons.end(), code) == source.reasons.end()) {
        continue;
      }
      sources += (sources.empty() ? "" : ", ") + to_string(source.source);
    }
    items += element("li", "",
                     element("code", "", escape_html(code.code())) + " " +
                         prose_html(explain(code)) + " (" + escape_html(sources) + ")") +
             "\n";
  }
  return items.empty() ? "" : element("ul", "class=\"reasons\"", "\n" + items) + "\n";
}

std::string verdict_in_words(const SourceProfile& source) {
  const Coded<SourceVerdict>& verdict = source.verdict;
  if (verdict == SourceVerdict::complete) return "it looks all of the time";
  if (verdict == SourceVerdict::part_time) {
    return fmt::format("it looks for a part of every update only, {} of the time",
                       share_text(source.duty));
  }
  if (verdict == SourceVerdict::trailing) {
    return "it averages over more than one update, so it comes late";
  }
  if (source.response == ResponseClass::estimated) {
    return "it is computed from the load, not measured";
  }
  if (verdict == SourceVerdict::unusable) return "nothing can be measured with it";
  return "too little is known about it";
}

/// The recommended source, and what speaks for it beside the others.
std::string recommendation(const Profile& profile) {
  if (!profile.recommended_source) {
    return "No source can be recommended: none was found to measure power; the reasons stand "
           "below.";
  }
  const SourceProfile* source = find_source(profile, *profile.recommended_source);
  const std::string why = source ? verdict_in_words(*source) : "";
  std::string others;
  for (const SourceProfile& other : profile.sources) {
    if (other.source == *profile.recommended_source || !other.duty) continue;
    others += fmt::format("{}{} sees {}", others.empty() ? "" : ", ", to_string(other.source),
                          share_text(other.duty));
    if (other.verdict == SourceVerdict::trailing) others += " but comes late";
  }
  return fmt::format("Use {}: {}.{}", to_string(*profile.recommended_source), why,
                     others.empty() ? "" : " Of the others, " + others + ".");
}

/// Answers to CPU work, GPU work and both at once; no rows where nobody compared them.
HtmlTable scopes_table(const Profile& profile) {
  HtmlTable table{"Answer to full work, W, with 95 % intervals",
                  {"Source", "CPU alone", "GPU alone", "Both beyond the sum", "Unseen", "Same as"},
                  {}};
  const auto add_row = [&table](const std::string& name, const SourceProfile& source) {
    if (!source.scopes) return;
    const ScopeFinding& scopes = *source.scopes;
    table.rows.push_back({name, watts(scopes.cpu_response_w), watts(scopes.gpu_response_w),
                          watts(scopes.excess_w),
                          source.duty ? share_text(1.0 - *source.duty) : "?",
                          scopes.alias_of ? to_string(*scopes.alias_of) : ""});
  };
  for (const SourceProfile& source : profile.sources) add_row(to_string(source.source), source);
  for (const HostProfile& host : profile.host) {
    for (const SourceProfile& source : host.sources) {
      add_row(fmt::format("host {}: {}", host.device.index, to_string(source.source)), source);
    }
  }
  return table;
}

std::string findings_html(const Profile& profile) {
  std::string items;
  for (const std::string& finding : findings_in_words(profile)) {
    items += element("li", "", escape_html(finding)) + "\n";
  }
  return items.empty() ? "" : element("ul", "class=\"reasons\"", "\n" + items) + "\n";
}

std::string profile_overview(const Profile& profile) {
  const std::vector<Figure> figures = parameter_figures(profile);
  return figure_section(0, "What each source shows", recommendation(profile),
                        to_html(profile_table(profile)) + findings_html(profile) +
                            profile_reasons_html(profile) + to_html(scopes_table(profile)) +
                            figures_html(figures, 0) + figures_json(figures, 0));
}

std::string source_in_words(const SourceProfile& source) {
  std::string text =
      fmt::format("Verdict {}: {}.", source.verdict.empty() ? "?" : source.verdict.code(),
                  verdict_in_words(source));
  if (source.update_period_s) {
    text += fmt::format(" A new value every {} ms.", milliseconds(source.update_period_s));
  }
  for (const Coded<ProfileReason>& code : source.reasons) {
    const std::string_view sentence = explain(code);
    text.append(" ").append(sentence.empty() ? code.code() : std::string(sentence));
  }
  return text;
}

HtmlTable structures_table(const characterize::SourceFigures& source) {
  HtmlTable table{
      "Models compared", {"Kind of sensor", "Residuals, rms", "BIC above the best", "Chosen"}, {}};
  for (const characterize::StructureFit& one : source.structures) {
    table.rows.push_back({one.name, plain(one.rms_w, 3) + " W",
                          fmt::format("{:.0f}", one.bic_above), one.chosen ? "yes" : "no"});
  }
  return table;
}

/// The figures of a source that the profile has; none for one that could not be read.
const characterize::SourceFigures& drawn_of(const characterize::ProfileFigures& figures,
                                            SourceId source) {
  static const characterize::SourceFigures kNone{};
  const auto found = std::find_if(figures.sources.begin(), figures.sources.end(),
                                  [source](const auto& one) { return one.source == source; });
  return found == figures.sources.end() ? kNone : *found;
}

std::string source_section(const characterize::ProfileFigures& all, const SourceProfile& source,
                           std::size_t index) {
  const characterize::SourceFigures& drawn = drawn_of(all, source.source);
  const std::vector<Figure> figures = figures_of(drawn, source);
  std::string content = figures_html(figures, index) + to_html(structures_table(drawn));
  if (figures.empty()) content = element("p", "class=\"hint\"", "Nothing to draw.") + "\n";
  return figure_section(index, to_string(source.source), source_in_words(source),
                        content + figures_json(figures, index));
}

}  // namespace

std::string render_html(const ProfilePage& page) {
  const Profile& profile = page.figures.profile;
  PageFrame frame{.title = page.title,
                  .text = kYangPaper,
                  .without_scripts = "What was found out is in the tables below.",
                  .section_titles = {"What each source shows"},
                  .sections = profile_overview(profile),
                  .metadata = page.metadata};
  for (std::size_t i = 0; i < profile.sources.size(); ++i) {
    frame.section_titles.push_back(to_string(profile.sources[i].source));
    frame.sections += source_section(page.figures, profile.sources[i], i + 1);
  }
  return page_html(frame);
}

}  // namespace truewatt::report
