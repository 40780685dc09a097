#include "truewatt/report/profile/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/model/observation_model.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"
#include "truewatt/report/profile/profile_words.hpp"

namespace truewatt::report {
namespace {

std::string sentence_of(const Coded<ProfileReason>& reason) {
  const std::string_view sentence = explain(reason);
  return sentence.empty() ? reason.code() : fmt::format("{}: {}", reason.code(), sentence);
}

std::string word(const std::string& text) { return text.empty() ? "?" : text; }

/// Why a source is recommended, of all those that were fitted.
std::string why(const SourceProfile& source) {
  const Interval looks = equivalent_window(source.averaging_window_s.value_or(Interval{}),
                                           source.time_constant_s.value_or(Interval{}));
  const double duty = source.duty.value_or(0.0);
  const double percent = std::round(100 * duty);
  const std::string seen = percent >= 100
                               ? "it sees all of the time"
                               : fmt::format("none sees more than its {:.0f} %", percent);
  if (!source.averaging_window_s) return seen;
  return fmt::format("{}, and a reading mixes {} ms", seen, plain(1e3 * looks.value, 2));
}

/// Why none is recommended, where that is not for want of readings.
std::string why_none(const Profile& profile) {
  std::string computed;
  for (const SourceProfile& source : profile.sources) {
    if (source.response != ResponseClass::estimated) continue;
    computed += (computed.empty() ? "" : ", ") + to_string(source.source);
  }
  if (computed.empty()) return "";
  return fmt::format("none: {} does not measure power and must not be trusted for joules",
                     computed);
}

/// What CPU work, GPU work and both at once did to each source, and how much of the time it does
/// not look; nothing where nobody compared them.
std::string scopes_text(const Profile& profile) {
  TextTable table;
  table.left_aligned = 1;
  table.head = {
      {"answer to full work", "CPU alone", "GPU alone", "both beyond", "unseen", "same as"},
      {"", "W", "W", "W", "% of time", ""}};
  const auto add_row = [&table](const std::string& name, const SourceProfile& source) {
    if (!source.scopes) return;
    const ScopeFinding& scopes = *source.scopes;
    table.rows.push_back({name, watts(scopes.cpu_response_w), watts(scopes.gpu_response_w),
                          watts(scopes.excess_w),
                          source.duty ? fmt::format("{:.0f}", 100 * (1 - *source.duty)) : "?",
                          scopes.alias_of ? to_string(*scopes.alias_of) : ""});
  };
  for (const SourceProfile& source : profile.sources) add_row(to_string(source.source), source);
  for (const HostProfile& host : profile.host) {
    for (const SourceProfile& source : host.sources) {
      add_row(fmt::format("host {}: {}", host.device.index, to_string(source.source)), source);
    }
  }
  return table.rows.empty() ? "" : "\n" + to_text(table, "   ") + "\n";
}

}  // namespace

std::string profile_text(const Profile& profile, const std::vector<std::string>& notes,
                         const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text = fmt::format("\n Sensors of {} ({:.0f} s of device time)\n\n",
                                 printable(profile.device.name), profile.duration_s);
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"source", "update", "window", "lag", "delay", "response", "verdict"},
                {"", "ms", "ms", "ms", "ms", "", ""}};
  std::vector<Coded<ProfileReason>> codes;
  for (const SourceProfile& source : profile.sources) {
    table.rows.push_back({to_string(source.source), milliseconds(source.update_period_s),
                          milliseconds(source.averaging_window_s),
                          milliseconds(source.time_constant_s), milliseconds(source.delay_s),
                          word(source.response.code()), word(source.verdict.code())});
    for (const Coded<ProfileReason>& code : source.reasons) {
      if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
    }
  }
  text += to_text(table, "   ") + "\n";
  if (profile.recommended_source) {
    text += hanging("   recommended  ",
                    fmt::format("{}: {}", to_string(*profile.recommended_source),
                                why(*find_source(profile, *profile.recommended_source))),
                    width);
  } else if (const std::string none = why_none(profile); !none.empty()) {
    text += hanging("   recommended  ", none, width);
  }
  for (const std::string& finding : findings_in_words(profile)) {
    text += hanging("   - ", finding, width);
  }
  for (const Coded<ProfileReason>& code : codes) {
    std::string sources;
    for (const SourceProfile& source : profile.sources) {
      const auto& reasons = source.reasons;
      if (std::find(reasons.begin(), reasons.end(), code) == reasons.end()) continue;
      sources += (sources.empty() ? "" : ", ") + to_string(source.source);
    }
    text += hanging("   - ", fmt::format("{} ({})", sentence_of(code), sources), width);
  }
  text += scopes_text(profile);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += hanging(" note: ", note, width);
  return text + "\n";
}

}  // namespace truewatt::report
