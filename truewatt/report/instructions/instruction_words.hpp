#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::report {

inline constexpr double kPicojoules = 1e12;

/// `8.47 ± 0.12`, in picojoules; "-" where there is none.
std::string picojoules_text(const std::optional<Interval>& joules);

/// `fma.rn.f32`, `fma.rn.f32 (zeros)`: with its operands, unless they are random.
std::string instruction_name(const instructions::RowKey& key);

/// `IADD3, 0.5 IMAD`: machine instructions for each PTX instruction.
std::string machine_text(const instructions::Row& row);

/// What the table's numbers are and what they stand on, a sentence each.
std::vector<std::string> standing_of(const instructions::Table& table);

/// What the sensor's scale adds. The table must know it.
std::string scale_words(const instructions::Table& table);

/// Why a row is as it is, for people; "" where there is nothing to say.
std::string reasons_text(const instructions::Row& row);

/// Whether a partner's row was taken off what the row's loop drew.
bool is_less_partner(const instructions::Row& row);

/// How much two kinds draw together, where the table has measured it; else "".
std::string drawn_together_words(const instructions::Table& table);

/// Groups in the order of their first rows.
std::vector<std::string> groups_of(const instructions::Table& table);

}  // namespace truewatt::report
