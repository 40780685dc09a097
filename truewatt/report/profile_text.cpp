#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "truewatt/report/layout.hpp"
#include "truewatt/report/profile_words.hpp"
#include "truewatt/report/text.hpp"

namespace truewatt::report {
namespace {

/// What a profile's reason codes mean and what to do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kReasons = {{
    {"no_readings", "The source showed nothing."},
    {"permission_denied", "The driver lets only others read this source; ask its administrator."},
    {"update_period_not_found",
     "Its values did not change often enough; a longer --budget may help."},
    {"too_few_readings", "Too few readings of the load; a longer --budget helps."},
    {"counter_reset", "The energy counter went backwards: something else set it to zero."},
    {"client_cache",
     "Readings come from a cache of the driver's client that the poller itself refreshes: the "
     "update "
     "period is the cache's."},
    {"averaging_window_not_resolved",
     "The readings bound the window from above only, or not to 1 ms or 3 %; a longer --budget may "
     "help."},
    {"time_constant_not_resolved", "The lag is not known to 5 %; a longer --budget may help."},
    {"lag_attribution_ambiguous",
     "A slow sensor and a slow board explain the readings equally well; energies of windows padded "
     "to idle are not affected."},
    {"observes_module",
     "It is offered as the GPU's and reacts to CPU work: it shows the whole module and is not "
     "taken "
     "for the GPU's power."},
    {"alias", "Another name of a source that is here too; the two tell one thing."},
    {"no_cpu_load",
     "Only CPU work tells how a CPU's source looks: characterize with --scopes and a --budget of "
     "30 s or more."},
    {"gpu_busy", "Something else ran on the GPU: characterize it again when it is idle."},
    {"throttled",
     "Clocks were limited while the load ran: its power was not that of the schedule."},
    {"interrupted", "The characterization was stopped before its end."},
}};

std::string word(const std::string& text) { return text.empty() ? "?" : text; }

std::string sentence_of(const std::string& code) {
  const std::string_view sentence = explain_reason(code);
  return sentence.empty() ? code : fmt::format("{}: {}", code, sentence);
}

}  // namespace

std::string_view explain_reason(std::string_view code) {
  const auto found = std::find_if(kReasons.begin(), kReasons.end(),
                                  [code](const auto& reason) { return reason.first == code; });
  return found == kReasons.end() ? std::string_view() : found->second;
}

std::string milliseconds(const std::optional<Interval>& seconds) {
  if (!seconds) return "?";
  const Interval ms = scaled(*seconds, 1e3);
  if (ms.value == 0.0 && ms.upper == 0.0) return "0";
  if (ms.value == 0.0) return fmt::format("< {}", plain(ms.upper, 2));
  const double half = std::max(ms.upper - ms.value, ms.value - ms.lower);
  int decimals = 3;
  for (double unit = 0.02; decimals > 0 && half > unit; unit *= 10) --decimals;
  return fmt::format("{:.{}f} ± {}", ms.value, decimals, plain(half, 2));
}

namespace {

/// "1.0005 ± 0.0014".
std::string ratio_of(const Interval& ratio) {
  return fmt::format("{:.4f} ± {}", ratio.value, plain((ratio.upper - ratio.lower) / 2, 2));
}

/// What an energy counter counts, and how it compares with the power sources.
std::string counting_of(const SourceProfile& source) {
  const CounterProfile& counter = *source.counter;
  std::string text = "counts all of the time";
  if (counter.counting == "gap" && counter.gap_begin_s && counter.gap_length_s) {
    text = fmt::format(
        "does not look from {:.1f} ms after every tick on for {} ms, which it "
        "charges by the power then",
        1e3 * *counter.gap_begin_s, milliseconds(counter.gap_length_s));
  } else if (counter.counting == "sampled" && counter.inner_period_s) {
    text = fmt::format("adds up one reading every {:.1f} ms; they see {:.0f} % of the time",
                       1e3 * *counter.inner_period_s, 100 * source.duty.value_or(0.0));
  }
  for (std::size_t i = 0; i < counter.agreement.size(); ++i) {
    text +=
        fmt::format("{} {} of {}", i == 0 ? "; its energy is" : ",",
                    ratio_of(counter.agreement[i].ratio), to_string(counter.agreement[i].source));
  }
  return text;
}

/// Why a source is recommended, of all those that were fitted.
std::string why(const SourceProfile& source) {
  const auto value = [](const std::optional<Interval>& x) { return x ? x->value : 0.0; };
  const double memory = value(source.averaging_window_s) + 2 * value(source.time_constant_s);
  const double duty = source.duty.value_or(0.0);
  const std::string seen = duty >= 1.0
                               ? "it sees all of the time"
                               : fmt::format("none sees more than its {:.0f} %", 100 * duty);
  if (!source.averaging_window_s) return seen;
  return fmt::format("{}, and a reading mixes {} ms", seen, plain(1e3 * memory, 2));
}

/// `220.0 ± 1.2`.
std::string watts(const std::optional<Interval>& power) {
  if (!power) return "?";
  const double half = std::max(power->upper - power->value, power->value - power->lower);
  return fmt::format("{:.1f} ± {}", power->value, plain(half, 2));
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
  std::vector<std::string> codes;
  for (const SourceProfile& source : profile.sources) {
    table.rows.push_back({to_string(source.source), milliseconds(source.update_period_s),
                          milliseconds(source.averaging_window_s),
                          milliseconds(source.time_constant_s), milliseconds(source.delay_s),
                          word(source.response), word(source.verdict)});
    for (const std::string& code : source.reasons) {
      if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
    }
  }
  text += to_text(table, "   ") + "\n";
  if (profile.recommended_source) {
    text += hanging("   recommended  ",
                    fmt::format("{}: {}", to_string(*profile.recommended_source),
                                why(*find_source(profile, *profile.recommended_source))),
                    width);
  }
  for (const SourceProfile& source : profile.sources) {
    if (!source.counter) continue;
    text += hanging("   - ", fmt::format("{} {}", to_string(source.source), counting_of(source)),
                    width);
  }
  for (const SourceProfile& source : profile.sources) {
    if (!source.needs_s) continue;
    text += hanging("   - ",
                    fmt::format("{} would probably be resolved by --budget {:.0f}",
                                to_string(source.source), std::ceil(*source.needs_s / 10) * 10),
                    width);
  }
  for (const std::string& code : codes) {
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
  for (const std::string& note : notes) text += hanging(" note: ", printable(note), width);
  return text + "\n";
}

}  // namespace truewatt::report
