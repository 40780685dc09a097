#include "truewatt/report/instructions/published_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

#include "truewatt/report/page/assets.hpp"

namespace truewatt::report {
namespace {

using instructions::Row;
using instructions::Table;
using kernels::Optimization;

constexpr double kMicro = 1e-6;
constexpr double kPico = 1e-12;

/// Mean of our rows that belong to a row of Table I.
std::optional<double> mean_of(const Table& table, const PublishedRow& paper) {
  double sum = 0.0;
  int rows = 0;
  for (const Row& row : table.rows) {
    const bool belongs = row.valid && row.paper == paper.name && row.group == paper.group &&
                         row.key.optimization == paper.optimization &&
                         row.key.operands == kernels::Operands::random;
    if (!belongs) continue;
    sum += row.dynamic_j->value;
    ++rows;
  }
  return rows > 0 ? std::optional(sum / rows) : std::nullopt;
}

}  // namespace

PublishedComparison beside_arafa(const Table& table) {
  const auto published = nlohmann::json::parse(kPublishedInstructions);
  const auto& gpus = published.at("gpus");
  PublishedComparison comparison{.source = published.at("source").get<std::string>(),
                                 .worth = published.at("worth").get<std::string>()};
  for (const Optimization optimization : {Optimization::O3, Optimization::O0}) {
    for (std::size_t i = 0; i < gpus.front().at("rows").size(); ++i) {
      const auto& of_first = gpus.front().at("rows").at(i);
      PublishedRow row{.group = of_first.at("group").get<std::string>(),
                       .name = of_first.at("row").get<std::string>(),
                       .optimization = optimization};
      const auto ours = mean_of(table, row);
      if (!ours) continue;
      row.ours_j = *ours;
      for (const auto& gpu : gpus) {
        const auto& values =
            gpu.at("rows").at(i).at(fmt::format("{}_uj", kernels::to_string(optimization)));
        for (std::size_t reader = 0; reader < values.size(); ++reader) {
          row.values.push_back({.gpu = gpu.at("name").get<std::string>(),
                                .reader = published.at("readers").at(reader).get<std::string>(),
                                .source = {},
                                .joules = kMicro * values.at(reader).get<double>()});
        }
      }
      comparison.rows.push_back(std::move(row));
    }
  }
  return comparison;
}

PublishedComparison beside_published_values(const Table& table) {
  const auto published = nlohmann::json::parse(kPublishedValues);
  PublishedComparison comparison{.source = {}, .worth = published.at("worth").get<std::string>()};
  for (const auto& value : published.at("values")) {
    const auto name = value.at("instruction").get<std::string>();
    const Row* row = find_row(table, {name, Optimization::O3, kernels::Operands::random});
    if (row == nullptr || !row->valid) continue;
    const bool above_spin = value.at("above") == "spin";
    const auto& ours = above_spin ? row->above_spin_j : row->dynamic_j;
    if (!ours) continue;
    comparison.rows.push_back({.group = {},
                               .name = name,
                               .above_spin = above_spin,
                               .ours_j = ours->value,
                               .ours_within = ours,
                               .values = {{.gpu = value.at("gpu").get<std::string>(),
                                           .reader = {},
                                           .source = value.at("source").get<std::string>(),
                                           .joules = kPico * value.at("pj").get<double>()}}});
  }
  return comparison;
}

std::string published_csv(const PublishedComparison& comparison, const std::string& separator) {
  std::string text =
      fmt::format("{}\n", fmt::join(std::array{"group", "name", "opt", "above", "this_j", "gpu",
                                               "reader", "source", "published_j"},
                                    separator));
  for (const PublishedRow& row : comparison.rows) {
    for (const PublishedValue& value : row.values) {
      const std::array<std::string, 9> cells{row.group,
                                             row.name,
                                             std::string(kernels::to_string(row.optimization)),
                                             row.above_spin ? "spin" : "idle",
                                             fmt::format("{:.6g}", row.ours_j),
                                             value.gpu,
                                             value.reader,
                                             value.source,
                                             fmt::format("{:.6g}", value.joules)};
      text += fmt::format("{}\n", fmt::join(cells, separator));
    }
  }
  return text;
}

}  // namespace truewatt::report
