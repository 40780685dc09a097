#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace truewatt {

/// What a reading is a reading of. `power_samples` is the driver's own ring buffer of samples.
/// A new kind is an enumerator here and its row below, without which nothing compiles.
enum class SourceKind {
  power_usage,
  power_average,
  power_instant,
  power_samples,
  energy_counter,
  last_ = energy_counter,
};

/// The call of NVML that answers a kind of source.
enum class NvmlCall {
  power_usage,   ///< nvmlDeviceGetPowerUsage
  field_value,   ///< nvmlDeviceGetFieldValues, for the GPU, its module and its memory
  samples,       ///< nvmlDeviceGetSamples: a ring of samples that the driver stamps
  total_energy,  ///< nvmlDeviceGetTotalEnergyConsumption; the field for other scopes
};

/// One row of the table of source kinds. A place in an order counts from 1, each place once.
struct SourceKindRow {
  std::string_view name;  ///< in JSON, run files, device files and options
  std::string_view role;  ///< its colour in charts: `--c-ROLE` in page.css
  NvmlCall call = NvmlCall::field_value;
  std::optional<std::uint32_t> nvml_field;  ///< NVML's id of the field; absent: it is no field
  std::string_view nvidia_smi;              ///< nvidia-smi's column; empty: it has none
  bool counts_energy = false;               ///< readings are joules, else watts
  /// On one board another kind under an older name, which gives way to that one.
  bool shows_another = false;
  int believed = 0;   ///< place in the order in which energies are taken from sources
  int sharpness = 0;  ///< place in the order in which calibrations are chosen, least averaged first
  std::optional<int> read_by_pollers;  ///< place in the order of what other tools read; absent: not
};

namespace source_kinds {

/// The compiler names the enumerator that has no row here.
constexpr SourceKindRow make_row(SourceKind kind) {
  switch (kind) {
    case SourceKind::power_usage:
      return {.name = "power.usage",
              .role = "power-usage",
              .call = NvmlCall::power_usage,
              .nvidia_smi = "power.draw",
              .shows_another = true,
              .believed = 4,
              .sharpness = 4,
              .read_by_pollers = 1};
    case SourceKind::power_average:
      return {.name = "power.average",
              .role = "power-average",
              .nvml_field = 185,
              .nvidia_smi = "power.draw.average",
              .believed = 5,
              .sharpness = 5,
              .read_by_pollers = 2};
    case SourceKind::power_instant:
      return {.name = "power.instant",
              .role = "power-instant",
              .nvml_field = 186,
              .nvidia_smi = "power.draw.instant",
              .believed = 3,
              .sharpness = 2,
              .read_by_pollers = 3};
    case SourceKind::power_samples:
      return {.name = "power.samples",
              .role = "power-samples",
              .call = NvmlCall::samples,
              .believed = 2,
              .sharpness = 3};
    case SourceKind::energy_counter:
      return {.name = "energy.counter",
              .role = "energy-counter",
              .call = NvmlCall::total_energy,
              .nvml_field = 191,
              .counts_energy = true,
              .believed = 1,
              .sharpness = 1};
  }
  return {};
}

inline constexpr std::size_t kCount = static_cast<std::size_t>(SourceKind::last_) + 1;
static_assert(make_row(static_cast<SourceKind>(kCount)).name.empty(),
              "SourceKind::last_ is not the last");

inline constexpr std::array<SourceKindRow, kCount> kRows = [] {
  std::array<SourceKindRow, kCount> rows;
  for (std::size_t i = 0; i < kCount; ++i) rows[i] = make_row(static_cast<SourceKind>(i));
  return rows;
}();

/// The kinds that `place_of` gives a place, in its order; none where a place is there twice or not.
template <std::size_t count, class PlaceOf>
constexpr std::optional<std::array<SourceKind, count>> in_order(PlaceOf place_of) {
  std::array<SourceKind, count> kinds{};
  std::array<bool, count> taken{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::optional<int> place = place_of(kRows[i]);
    if (!place) continue;
    const auto at = static_cast<std::size_t>(*place) - 1;
    if (at >= count || taken[at]) return std::nullopt;
    taken[at] = true;
    kinds[at] = static_cast<SourceKind>(i);
  }
  return kinds;
}

inline constexpr auto kBelieved =
    in_order<kCount>([](const SourceKindRow& row) { return std::optional(row.believed); });
static_assert(kBelieved, "a place in the order `believed` is there twice or not at all");

inline constexpr auto kSharpest =
    in_order<kCount>([](const SourceKindRow& row) { return std::optional(row.sharpness); });
static_assert(kSharpest, "a place in the order `sharpness` is there twice or not at all");

inline constexpr std::size_t kPolledCount = static_cast<std::size_t>(
    std::count_if(kRows.begin(), kRows.end(),
                  [](const SourceKindRow& row) { return row.read_by_pollers.has_value(); }));
inline constexpr auto kPolled =
    in_order<kPolledCount>([](const SourceKindRow& row) { return row.read_by_pollers; });
static_assert(kPolled, "a place in the order `read_by_pollers` is there twice or not at all");

static_assert(std::all_of(kRows.begin(), kRows.end(),
                          [](const SourceKindRow& row) {
                            return !row.name.empty() && !row.role.empty() &&
                                   (row.call != NvmlCall::field_value || row.nvml_field);
                          }),
              "a row lacks its name, its role or the field that its call asks for");

}  // namespace source_kinds

constexpr const SourceKindRow& row_of(SourceKind kind) {
  return source_kinds::kRows[static_cast<std::size_t>(kind)];
}

/// All kinds, in the order in which sensors list them.
inline constexpr std::array<SourceKind, source_kinds::kCount> kSourceKinds = [] {
  std::array<SourceKind, source_kinds::kCount> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = static_cast<SourceKind>(i);
  return kinds;
}();
/// In the order in which energies are taken from them.
inline constexpr auto kKindsAsBelieved = *source_kinds::kBelieved;
/// Counters first, then by how little they average.
inline constexpr auto kKindsBySharpness = *source_kinds::kSharpest;
/// The power readings that other tools poll, in the order in which they find them.
inline constexpr auto kKindsPolled = *source_kinds::kPolled;

constexpr bool counts_energy(SourceKind kind) { return row_of(kind).counts_energy; }

/// Whether readings come as a ring of samples, each with the driver's stamp, instead of one by one.
constexpr bool comes_in_ring(SourceKind kind) { return row_of(kind).call == NvmlCall::samples; }

}  // namespace truewatt
