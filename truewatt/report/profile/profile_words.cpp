#include "truewatt/report/profile/profile_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

/// What an energy counter counts, and how it compares with the power sources.
std::string counting_of(const SourceProfile& source) {
  const CounterProfile& counter = *source.counter;
  std::string text = "counts all of the time";
  if (counter.counting == Counting::gap && counter.gap_begin_s && counter.gap_length_s) {
    text = fmt::format(
        "does not look from {:.1f} ms after every tick on for {} ms, which it "
        "charges by the power then",
        1e3 * *counter.gap_begin_s, milliseconds(counter.gap_length_s));
  } else if (counter.counting == Counting::sampled && counter.inner_period_s) {
    text = fmt::format("adds up one reading every {:.1f} ms; they see {:.0f} % of the time",
                       1e3 * *counter.inner_period_s, 100 * source.duty.value_or(0.0));
  } else if (counter.counting == Counting::unresolved) {
    text = "adds up its joules in a way that its increments do not show";
    if (counter.inner_period_s) {
      text = fmt::format(
          "adds up readings of up to {:.1f} ms, of which one more or less is in a count",
          1e3 * *counter.inner_period_s);
    }
  }
  for (std::size_t i = 0; i < counter.agreement.size(); ++i) {
    text += fmt::format("{} {} of {}", i == 0 ? "; its energy is" : ",",
                        format_plus_minus(counter.agreement[i].ratio, 4),
                        to_string(counter.agreement[i].source));
  }
  return text;
}

/// True for a level that shows later or earlier than full work by more than 3.3 standard
/// uncertainties: of a few dozen levels of linear sensors hardly one does.
bool is_shifted(const LevelFinding& level) {
  constexpr double kOf95 = 3.3 / 1.96;
  const double half = half_width_of(level.later_s);
  return std::abs(level.later_s.value) > kOf95 * half;
}

/// "+0.12 ± 0.05" watts a minute.
std::string a_minute(const Interval& drift) {
  const Interval rate = scaled(drift, 60.0);
  return (rate.value > 0 ? "+" : "") + format_plus_minus(rate, 2);
}

/// How steady the board was, and what was done for it.
std::string steadiness_of(const Steadiness& steadiness) {
  std::string text = steadiness.warm_up_s > 0
                         ? fmt::format("warmed up for {:.1f} s; after that", steadiness.warm_up_s)
                         : "no warm-up;";
  if (steadiness.idle_drift_w_per_s && steadiness.work_drift_w_per_s && steadiness.source) {
    text += fmt::format(" idle changed by {} W a minute, full work by {} ({})",
                        a_minute(*steadiness.idle_drift_w_per_s),
                        a_minute(*steadiness.work_drift_w_per_s), to_string(*steadiness.source));
  } else {
    text += " no source shows how the power changed";
  }
  if (steadiness.temperature_begin_c && steadiness.temperature_end_c) {
    text += fmt::format("; {:.0f} °C at the start, {:.0f} °C at the end",
                        *steadiness.temperature_begin_c, *steadiness.temperature_end_c);
  }
  return text;
}

}  // namespace

std::string milliseconds(const std::optional<Interval>& seconds) {
  if (!seconds) return "?";
  const Interval ms = scaled(*seconds, 1e3);
  if (ms.value == 0.0 && ms.upper == 0.0) return "0";
  if (ms.value == 0.0) return fmt::format("< {}", plain(ms.upper, 2));
  return format_plus_minus(ms, 3);
}

std::string watts(const std::optional<Interval>& power) {
  return power ? format_plus_minus(*power, 2) : "?";
}

std::vector<std::string> findings_in_words(const Profile& profile) {
  std::vector<std::string> findings;
  if (profile.steadiness) findings.push_back(steadiness_of(*profile.steadiness));
  for (const SourceProfile& source : profile.sources) {
    if (!source.counter) continue;
    findings.push_back(fmt::format("{} {}", to_string(source.source), counting_of(source)));
  }
  for (const SourceProfile& source : profile.sources) {
    for (const LevelFinding& level : source.levels) {
      if (!is_shifted(level)) continue;
      findings.push_back(
          fmt::format("{} shows {:.0f} % of the load {} ms later than full work: its lag depends "
                      "on the level",
                      to_string(source.source), 100 * level.level, milliseconds(level.later_s)));
    }
  }
  for (const SourceProfile& source : profile.sources) {
    if (!source.needs_s) continue;
    findings.push_back(fmt::format("{} would probably be resolved by --budget {:.0f}",
                                   to_string(source.source), std::ceil(*source.needs_s / 10) * 10));
  }
  return findings;
}

}  // namespace truewatt::report
