#include "truewatt/report/replication/burtscher_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/profile/profile_words.hpp"

namespace truewatt::report {
namespace {

constexpr std::array<std::pair<ProfileReason, std::string_view>, 10> kReasons = {{
    {ProfileReason::interval_is_standard_error,
     "the protocol gives no intervals; those in the profile hold what its readings scatter and no "
     "bias."},
    {ProfileReason::no_capacitor,
     "it shows the new power within its next updates, like the paper's K20x: there is no "
     "capacitor, "
     "and readings stand as they are."},
    {ProfileReason::rises_in_a_line,
     "its readings rise in a straight line, as those of an average over a window do: no constant "
     "of "
     "a capacitor corrects that."},
    {ProfileReason::board_rises_slowly,
     "its readings rise slowly and fall at once: that is the board, and no capacitor of the "
     "sensor's."},
    {ProfileReason::too_few_readings,
     "below 10 readings of the load, the paper's least for an error of 5 %."},
    {ProfileReason::no_step_seen,
     "too few readings of the idle before the load, or none that rise with it by more than they "
     "scatter."},
    {ProfileReason::no_active_idle,
     "after the load the power is that of idle: no active idle, no stairs, no t3; t4 is when the "
     "readings say so."},
    {ProfileReason::idle_not_reached,
     "12 s after the load the power is not what it was before: no t4, no energy of the tail."},
    {ProfileReason::idle_not_steady,
     "the idle before the load was not steady: another load's active idle, or something else ran."},
    {ProfileReason::update_period_not_found, "its values did not change often enough."},
}};

std::string number(const SourceProfile& source, const std::string& name, int decimals,
                   double factor = 1.0) {
  const auto value = protocol_value(source, name);
  return value ? fmt::format("{:.{}f}", factor * *value, decimals) : "-";
}

std::string time_of(const SourceProfile& source, const std::string& name) {
  const std::string text = number(source, name, 2);
  return text == "-0.00" ? "0.00" : text;
}

std::string stairs_of(const SourceProfile& source) {
  const auto count = protocol_value(source, "stairs_count");
  if (!count) return "-";
  const auto length = protocol_value(source, "stair_s");
  return length ? fmt::format("{:.0f} × {:.2f} s", *count, *length) : fmt::format("{:.0f}", *count);
}

std::string capacitor_of(const SourceProfile& source) {
  return source.time_constant_s ? milliseconds(source.time_constant_s) : "-";
}

ProtocolTable sensor_table() {
  return {"Capacitor, and time between changes",
          {"source", "capacitor", "off the curve", "median", "least", "most", "in the load"},
          {"", "ms", "W", "ms", "ms", "ms", "readings"},
          {}};
}

std::vector<std::string> sensor_row(const SourceProfile& source) {
  return {to_string(source.source),
          capacitor_of(source),
          number(source, "capacitor_difference_w", 2),
          number(source, "update_median_s", 2, 1e3),
          number(source, "update_min_s", 2, 1e3),
          number(source, "update_max_s", 1, 1e3),
          number(source, "readings_count", 0)};
}

ProtocolTable level_table() {
  return {"Levels, and times since the load began",
          {"source", "idle", "load", "active idle", "lasts", "stairs", "t1", "t2", "t3", "t4"},
          {"", "W", "W", "W", "s", "", "s", "s", "s", "s"},
          {}};
}

std::vector<std::string> level_row(const SourceProfile& source) {
  return {to_string(source.source),
          number(source, "idle_w", 1),
          number(source, "load_w", 1),
          number(source, "active_idle_w", 1),
          number(source, "active_idle_hold_s", 2),
          stairs_of(source),
          time_of(source, "t1_s"),
          time_of(source, "t2_s"),
          time_of(source, "t3_s"),
          time_of(source, "t4_s")};
}

ProtocolTable energy_table() {
  return {
      "Energy (J) of the load, and counted after it",
      {"source", "readings", "corrected", "load × time", "to t3", "t3 to t4", "tail", "above idle"},
      {"", "", "", "", "", "", "to t4", "to t4"},
      {}};
}

std::vector<std::string> energy_row(const SourceProfile& source) {
  return {to_string(source.source),          number(source, "raw_j", 1),
          number(source, "corrected_j", 1),  number(source, "level_j", 1),
          number(source, "tail_curve_j", 1), number(source, "tail_stairs_j", 1),
          number(source, "tail_j", 1),       number(source, "tail_above_idle_j", 1)};
}

constexpr const char* kPublished = "K20c, published";

// Burtscher 2014: C section 5; 15 ms section 4.3; 158 W section 6.4; 52.5 W section 4.2; 3.5 s and
// a second section 6.1; 5.346 s and 732 J section 4.1; about 130 J section 4.2; 1066 J from t1 to
// t4 section 4.3, of which 732 J and 130 J leave 204 J.
void add_published(std::vector<ProtocolTable>& tables) {
  tables[0].rows.push_back({kPublished, "840", "-", "15", "-", "-", "-"});
  tables[1].rows.push_back(
      {kPublished, "-", "158", "52.5", "3.5", "every 1 s", "0", "5.346", "-", "-"});
  tables[2].rows.push_back({kPublished, "732", "-", "845", "204", "130", "334", "-"});
}

}  // namespace

std::vector<ProtocolTable> burtscher_tables(const Profile& profile) {
  std::vector<ProtocolTable> tables = {sensor_table(), level_table(), energy_table()};
  bool any = false;
  for (const SourceProfile& source : profile.sources) {
    if (source.protocol_values.empty()) continue;
    tables[0].rows.push_back(sensor_row(source));
    tables[1].rows.push_back(level_row(source));
    tables[2].rows.push_back(energy_row(source));
    any = any || source.time_constant_s;
  }
  if (any) add_published(tables);
  return tables;
}

std::string_view explain_burtscher_reason(const Coded<ProfileReason>& code) {
  const auto found = std::find_if(kReasons.begin(), kReasons.end(),
                                  [&code](const auto& reason) { return reason.first == code; });
  return found == kReasons.end() ? explain(code) : found->second;
}

std::vector<ProtocolReason> burtscher_reasons(const Profile& profile) {
  std::vector<ProtocolReason> reasons;
  for (const SourceProfile& source : profile.sources) {
    for (const Coded<ProfileReason>& reason : source.reasons) {
      const std::string_view sentence = explain_burtscher_reason(reason);
      if (sentence.empty()) continue;
      const std::string code = reason.code();
      auto known = std::find_if(reasons.begin(), reasons.end(),
                                [&code](const auto& one) { return one.code == code; });
      if (known == reasons.end()) {
        reasons.push_back({code, to_string(source.source), std::string(sentence)});
      } else {
        known->sources += ", " + to_string(source.source);
      }
    }
  }
  return reasons;
}

}  // namespace truewatt::report
