#include "truewatt/report/replication/protocol_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {
namespace {

std::string protocol_ms(const SourceProfile& source, const std::string& name) {
  const auto value = protocol_value(source, name);
  return value ? fmt::format("{:.2f}", 1e3 * *value) : "-";
}

/// `100.00/100.11/4.30`: median, mean, standard deviation.
std::string three(const SourceProfile& source, const std::string& what) {
  if (!protocol_value(source, what + "_median_s")) return "-";
  return protocol_ms(source, what + "_median_s") + "/" + protocol_ms(source, what + "_mean_s") +
         "/" + protocol_ms(source, what + "_sd_s");
}

std::string kind_of(const SourceProfile& source) {
  // Yang 2024, section IV-B.
  constexpr std::array<std::string_view, 4> kKinds{"instant", "slow board", "averaging",
                                                   "logarithmic"};
  const auto kind = protocol_value(source, "transient_kind");
  if (!kind || *kind < 1.0 || *kind > kKinds.size()) return "-";
  return std::string(kKinds[static_cast<std::size_t>(*kind) - 1]);
}

std::string swing(const SourceProfile& source) {
  const auto share = protocol_value(source, "swing_share");
  if (!share) return "-";
  return fmt::format("{} {:.0f} %", source.verdict == SourceVerdict::complete ? "flat" : "swings",
                     100.0 * *share);
}

bool any_with(const Profile& profile, ProfileReason reason) {
  return std::any_of(profile.sources.begin(), profile.sources.end(),
                     [&](const auto& source) { return has_reason(source, reason); });
}

}  // namespace

std::string protocol_text(const Profile& profile, const std::vector<std::string>& notes,
                          const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text = fmt::format(
      "\n Sensors of {} by the procedures of Yang, Adamek, Armour (SC'24), {:.0f} s of "
      "device time\n\n",
      printable(profile.device.name), profile.duration_s);
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"source", "update", "rise", "50 %", "kind", "window", "loss least", "wave of T"},
                {"ms", "median/mean/sd", "mean", "mean", "", "median/mean/sd", "at", ""}};
  for (const SourceProfile& source : profile.sources) {
    table.rows.push_back(
        {to_string(source.source), three(source, "update"), protocol_ms(source, "rise_mean_s"),
         protocol_ms(source, "crossing_mean_s"), kind_of(source), three(source, "window"),
         protocol_ms(source, "loss_minimum_s"), swing(source)});
  }
  text += to_text(table, "   ") + "\n";
  if (any_with(profile, ProfileReason::rise_time_too_long)) {
    text += hanging("   - ", "rise_time_too_long: above 700 ms the protocol looks for no window.",
                    width);
  }
  if (any_with(profile, ProfileReason::interval_is_standard_error)) {
    text += hanging("   - ",
                    "interval_is_standard_error: the protocol gives no intervals; those in the "
                    "profile hold what repeating scatters and no bias.",
                    width);
  }
  if (any_with(profile, ProfileReason::interrupted)) {
    text += hanging("   - ", "interrupted: the protocol was stopped before its end.", width);
  }
  for (const std::string& note : notes) text += hanging(" note: ", note, width);
  return text + "\n";
}

}  // namespace truewatt::report
