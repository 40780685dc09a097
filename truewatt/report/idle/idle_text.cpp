#include "truewatt/report/idle/idle_text.hpp"

#include <fmt/format.h>

#include "truewatt/report/idle/idle_words.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

std::string table_text(const idle::Ladder& ladder) {
  TextTable text{
      .head = {{"  idle", "power", "above a context", "SM clock", "memory", "settled in"}},
      .left_aligned = 1};
  for (const idle::Row& row : ladder.rows) {
    const bool is_context = row.rung == idle::Rung::context;
    text.rows.push_back({"  " + std::string(name_of(row.rung)), watts_text(row.power_w),
                         is_context ? "" : watts_text(row.above_context_w),
                         clock_text(row.seen.sm_clock_hz), clock_text(row.seen.memory_clock_hz),
                         settled_text(row)});
  }
  return to_text(text, " ") + "\n";
}

/// What gain and offset add to the highest rung.
std::string scale_text(const idle::Ladder& ladder) {
  const idle::Row* last = nullptr;
  for (const idle::Row& row : ladder.rows) {
    if (row.against_meter_w) last = &row;
  }
  std::string text = "Intervals are 95 %, on this sensor's scale.";
  if (last == nullptr) return text;
  return text + fmt::format(" Against a wattmeter the last row is {} ({}).",
                            watts_text(last->against_meter_w),
                            ladder.calibrated ? "calibrated" : "never calibrated");
}

}  // namespace

std::string idle_text(const idle::Ladder& ladder, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(options.width);
  const std::string name = ladder.device.name.empty() ? "unnamed GPU" : ladder.device.name;
  std::string text = fmt::format("\n Idle, rung by rung: {}\n\n", printable(name));
  text += table_text(ladder);
  if (options.verbose) {
    for (const idle::Rung rung : idle::kRungs) {
      text +=
          hanging(fmt::format(" {}: ", name_of(rung)), fmt::format("{}.", meaning_of(rung)), width);
    }
  }
  text += hanging(" ", scale_text(ladder), width);
  for (const idle::Row& row : ladder.rows) {
    if (row.reasons.empty()) continue;
    text += hanging(fmt::format(" {}: ", name_of(row.rung)), reasons_text(row) + ".", width);
  }
  if (ladder.interrupted) text += " Interrupted: what had no turn is missing.\n";
  for (const std::string& note : ladder.notes) text += hanging(" note: ", note, width);
  return text + "\n";
}

}  // namespace truewatt::report
