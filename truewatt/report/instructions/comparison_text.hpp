#pragma once

#include <string>
#include <vector>

#include "truewatt/instructions/comparison.hpp"
#include "truewatt/instructions/prediction.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/report/instructions/published_comparison.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// `compared`: rows that both tables have: energies above idle and their ratio with its interval.
/// Pure.
std::string compared_tables_text(const instructions::Table& table, const instructions::Table& other,
                                 const std::vector<instructions::ComparedRow>& compared,
                                 const TextOptions& options = {});

/// The table beside Table I of Arafa et al. (2020): for each of its rows the mean of ours and the
/// microjoules of its four GPUs by MTSM, at O3 and at O0, with what these are worth; with `verbose`
/// those by PAPI too. Pure.
std::string compared_with_arafa_text(const instructions::Table& table,
                                     const PublishedComparison& comparison,
                                     const TextOptions& options = {});

/// The table beside values that others published for busy GPUs, with what they are worth. Pure.
std::string compared_with_published_text(const instructions::Table& table,
                                         const PublishedComparison& comparison,
                                         const TextOptions& options = {});

/// A prediction from the table: its energy, what that is of, the parts that have most of it, and
/// what the table does not hold. Pure.
std::string prediction_text(const instructions::Table& table,
                            const instructions::Prediction& prediction,
                            const TextOptions& options = {});

}  // namespace truewatt::report
