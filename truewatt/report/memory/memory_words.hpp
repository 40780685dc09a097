#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/memory/results.hpp"

namespace truewatt::report {

/// Picojoules of a joule.
inline constexpr double kPicoOfJoule = 1e12;

/// "2530 ± 41" picojoules; "-" of nothing. `factor` times the value.
std::string sector_text(const std::optional<Interval>& joules, double factor = 1.0);
/// "192 KiB", "50 MiB"; "not seen" of nothing.
std::string size_text(const std::optional<double>& bytes);
/// What the numbers stand on, a sentence a line.
std::vector<std::string> standing_of(const memory::Table& table);
/// What a reader of the row must know; empty where there is nothing.
std::string reasons_text(const memory::LevelRow& row);
/// "DRAM", "L2", "L1", "shared".
std::string_view name_of(memory::Level level);
/// "DRAM load", "L2 store, zeros".
std::string title_of(const memory::LevelRow& row);

/// Those of a table's chains, from little to much.
std::vector<memory::Parallelism> parallelisms_of(const memory::Table& table);
/// R² of the chains of that parallelism: "0.998"; "-" where they do not tell.
std::string fit_text(const memory::Table& table, const memory::Parallelism& parallel);
/// "1024", "1024 on 12.5 % of the SMs".
std::string words(const memory::Parallelism& parallel);

}  // namespace truewatt::report
