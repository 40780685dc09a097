#include "truewatt/report/instructions/further_tables.hpp"

#include <fmt/format.h>

#include "truewatt/report/instructions/instruction_words.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using instructions::Row;
using instructions::Table;

FurtherTable reader_errors(const Table& table) {
  const std::string reference = table.meter ? "the " + printable(*table.meter) : "the estimate";
  FurtherTable text{.title = "readers beside " + reference, .head = {"MAPE", "RMSE", "stretches"}};
  for (const instructions::ReaderErrors& one : table.reader_errors) {
    text.rows.push_back({std::string(to_string(one.reader)),
                         fmt::format("{:.2f} %", 100 * one.mape),
                         fmt::format("{:.2f} J", one.rmse_j), fmt::format("{}", one.count)});
  }
  return text;
}

/// Without the share in brackets.
std::string watts(const std::optional<Interval>& power) {
  if (!power) return "-";
  const std::string words = unitless_text(*power);
  return words.substr(0, words.find(" ("));
}

FurtherTable verified_kernels(const Table& table) {
  FurtherTable text{.title = "kernels of known counts",
                    .head = {"predicted, W", "measured, W", "off", "allowed"},
                    .note = "Above idle, at the rate that each ran at."};
  for (const instructions::VerifiedKernel& one : table.verification) {
    text.rows.push_back({one.name, watts(one.predicted_w), watts(one.measured_w),
                         one.off ? fmt::format("{:+.1f} %", 100 * *one.off) : "-",
                         fmt::format("{:.0f} %", 100 * one.allowed)});
    if (one.holds()) continue;
    text.note +=
        fmt::format(" {}: {}.", one.name,
                    one.off ? std::string("the table does not predict it") : printable(one.detail));
  }
  return text;
}

FurtherTable mixed_pairs(const Table& table) {
  if (!table.mixing) return {};
  FurtherTable text{
      .title = "loops of two instructions",
      .head = {"their rows, W", "measured, W", "share"},
      .note = fmt::format(
          "Mixed code draws more than its rows: {:.3f} ± {:.3f} of their energy, times the share "
          "of "
          "its pairs of joules that are of two kinds; one pair of kinds differs from another by "
          "{:.3f} (a standard deviation). --predict counts it.",
          table.mixing->share, kCoverageFactor95 * table.mixing->share_u, table.mixing->scatter)};
  for (const instructions::MixedPair& one : table.mixing->pairs) {
    text.rows.push_back({one.name, watts(one.rows_w), watts(one.measured_w),
                         one.share ? fmt::format("{:+.2f}", *one.share) : "-"});
    if (!one.share) text.note += fmt::format(" {}: {}.", one.name, printable(one.detail));
  }
  return text;
}

/// The literature's protocol beside this one, and why they differ.
FurtherTable one_thread(const Table& table) {
  FurtherTable text{
      .title = "by Arafa et al.'s protocol",
      .head = {"this, pJ", "one thread, nJ", "times this", "idle power", "takes"},
      .note = fmt::format(
          "The protocol runs one thread for 10^6 iterations of {} instructions and divides what "
          "the "
          "board drew beyond the same loop without them by their number (Eq. 1). While one thread "
          "waits for its instruction the whole board idles: that is nearly all of it.",
          instructions::kOneThreadCopies)};
  for (const Row& row : table.rows) {
    if (!row.one_thread || !row.valid) continue;
    const instructions::OneThreadRow& one = *row.one_thread;
    const double energy = one.energy_j.value;
    text.rows.push_back(
        {fmt::format("{} {}", row.key.instruction, kernels::to_string(row.key.optimization)),
         picojoules_text(row.dynamic_j), fmt::format("{:.3g}", 1e9 * energy),
         fmt::format("{:.0f}", energy / row.dynamic_j->value),
         fmt::format("{:.0f} %", 100 * one.idle_j / energy),
         fmt::format("{:.3g} ns", 1e9 * one.instruction.count())});
  }
  return text;
}

}  // namespace

std::vector<FurtherTable> further_tables(const Table& table) {
  std::vector<FurtherTable> tables;
  for (auto& one :
       {reader_errors(table), mixed_pairs(table), verified_kernels(table), one_thread(table)}) {
    if (!one.rows.empty()) tables.push_back(one);
  }
  return tables;
}

}  // namespace truewatt::report
