#include "truewatt/report/memory/memory_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/baseline_words.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {

std::string sector_text(const std::optional<Interval>& joules, double factor) {
  if (!joules) return "-";
  const std::string text = unitless_text(scaled(*joules, kPicoOfJoule * factor));
  return text.substr(0, text.find(" ("));
}

std::string size_text(const std::optional<double>& bytes) {
  if (!bytes) return "not seen";
  constexpr double kKilo = 1024.0;
  if (*bytes < kKilo) return fmt::format("{:.0f} bytes", *bytes);
  if (*bytes < kKilo * kKilo) return fmt::format("{:.3g} KiB", *bytes / kKilo);
  return fmt::format("{:.3g} MiB", *bytes / kKilo / kKilo);
}

namespace {

std::string of_size(const std::optional<double>& bytes) {
  return bytes ? "of " + size_text(bytes) : size_text(bytes);
}

}  // namespace

std::vector<std::string> standing_of(const memory::Table& table) {
  std::vector<std::string> lines;
  const memory::Caches& caches = table.caches;
  const bool is_seen =
      caches.l1_bytes || caches.l2_bytes || caches.sector_bytes || caches.line_bytes;
  lines.push_back(is_seen ? fmt::format("L1 {}, L2 {}, sectors {}, lines {}{}.",
                                        size_text(caches.l1_bytes), size_text(caches.l2_bytes),
                                        of_size(caches.sector_bytes), of_size(caches.line_bytes),
                                        table.verified_by == "time" ? " (by time)" : "")
                          : "Sizes of the caches: not seen.");
  if (table.levels.empty()) return lines;
  lines.emplace_back(
      "Picojoules of a 32-byte sector served at a level: all that it costs on its way, above idle "
      "and above what spinning draws. Intervals are 95 %.");
  if (table.idle_w) {
    lines.push_back(fmt::format("Idle with a context: {}.", format_interval(*table.idle_w, "W")));
  }
  if (table.spin_w) {
    lines.push_back(spinning_words(*table.spin_w, table.clock_hz));
  }
  lines.push_back(table.verified_by == "time"
                      ? "Levels by the caches' sizes and by time: no hardware counters were read."
                      : fmt::format("Levels and numbers of sectors verified by hardware counters "
                                    "({}).",
                                    table.verified_by));
  if (table.r_squared) {
    lines.push_back(fmt::format("Joint fit of {} runs: R² = {:.4f}.", table.residuals.size(),
                                *table.r_squared));
  }
  if (table.scope) {
    lines.push_back(fmt::format(
        "The memory's own sensor read {:.1f} W while L2 served and {:.1f} W while DRAM did: "
        "{:.3g} pJ a byte more, part of what DRAM adds.",
        table.scope->l2_w, table.scope->dram_w, kPicoOfJoule * table.scope->joules_per_byte()));
  }
  if (table.scale) {
    lines.push_back(fmt::format("On {} scale; ± {:.2g} % more against a wattmeter ({}).",
                                table.calibrated ? "the wattmeter's" : "this sensor's",
                                100 * *table.scale,
                                table.calibrated ? "calibrated" : "never calibrated"));
  }
  return lines;
}

std::string reasons_text(const memory::LevelRow& row) {
  std::string text;
  for (const memory::Reason reason : row.reasons) {
    if (reason == memory::Reason::not_counted) continue;
    if (!text.empty()) text += "; ";
    text += explain(reason);
  }
  const std::string details = all_details(row);
  if (!details.empty()) text += fmt::format(" ({})", details);
  return text;
}

std::string_view name_of(memory::Level level) {
  switch (level) {
    case memory::Level::shared:
      return "shared";
    case memory::Level::l1:
      return "L1";
    case memory::Level::l2:
      return "L2";
    case memory::Level::dram:
      break;
  }
  return "DRAM";
}

std::string title_of(const memory::LevelRow& row) {
  std::string title =
      fmt::format("{} {}", name_of(row.key.level), kernels::to_string(row.key.operation));
  if (row.key.data == kernels::Data::zeros) title += ", zeros";
  return title;
}

std::vector<memory::Parallelism> parallelisms_of(const memory::Table& table) {
  std::vector<memory::Parallelism> all;
  for (const memory::SweepPoint& point : table.sweep) {
    if (std::find(all.begin(), all.end(), point.parallel) == all.end()) {
      all.push_back(point.parallel);
    }
  }
  // A level that lacks some of them must not put them behind all others.
  const auto place = [](const memory::Parallelism& one) {
    return std::tuple(one.share < 1.0, one.threads, one.share);
  };
  std::sort(all.begin(), all.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return all;
}

std::string fit_text(const memory::Table& table, const memory::Parallelism& parallel) {
  for (const memory::ParallelFit& one : table.chain_fits) {
    if (one.parallel == parallel) return fmt::format("{:.4f}", one.r_squared);
  }
  return "-";
}

std::string words(const memory::Parallelism& parallel) {
  if (parallel.share == 1.0) return std::to_string(parallel.threads);
  return fmt::format("{} on {:g} % of the SMs", parallel.threads, 100 * parallel.share);
}

}  // namespace truewatt::report
