#include "truewatt/nvml_sim/board_facts.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace truewatt::nvml_sim {
namespace {

constexpr unsigned kUnknownArchitecture = 0xffffffff;
constexpr std::uint64_t kGiB = 1ULL << 30;

struct Row {
  std::string_view name;
  BoardFacts facts;
};

constexpr Row kRows[] = {
    {"k20", {2, 3, 5, 5 * kGiB, 2600}},       {"k40", {2, 3, 5, 12 * kGiB, 3004}},
    {"p100", {4, 6, 0, 16 * kGiB, 715}},      {"v100", {5, 7, 0, 32 * kGiB, 877}},
    {"turing", {6, 7, 5, 11 * kGiB, 7000}},   {"rtx3090", {7, 8, 6, 24 * kGiB, 9751}},
    {"rtx4090", {8, 8, 9, 24 * kGiB, 10501}}, {"a100", {7, 8, 0, 40 * kGiB, 1215}},
    {"h100", {9, 9, 0, 80 * kGiB, 1593}},     {"h200", {9, 9, 0, 141 * kGiB, 3201}},
    {"gh200", {9, 9, 0, 96 * kGiB, 2619}},
};

}  // namespace

BoardFacts board_facts(const DeviceDescription& device) {
  for (const auto& row : kRows) {
    if (row.name == device.name) return row.facts;
  }
  return {kUnknownArchitecture, 0, 0, 80 * kGiB, 2619};
}

PowerLimits power_limits(const DeviceDescription& device) {
  return {std::min(device.board.idle.value(), device.board.max.value()),
          power_limit(device).value()};
}

}  // namespace truewatt::nvml_sim
