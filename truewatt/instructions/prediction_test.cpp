#include "truewatt/instructions/prediction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/instructions/table_file.hpp"

namespace truewatt::instructions {
namespace {

Row row_of(std::string instruction, std::vector<machine_code::OpcodeCount> machine,
           Interval energy) {
  Row row;
  row.key.instruction = std::move(instruction);
  row.machine = std::move(machine);
  row.dynamic_j = energy;
  row.valid = true;
  return row;
}

Table table() {
  Table table;
  table.rows.push_back(row_of("fma.rn.f32", {{"FFMA", 1.0}}, {16e-12, 15e-12, 17e-12}));
  table.rows.push_back(row_of("mad.rn.f32", {{"FFMA", 1.0}}, {18e-12, 17e-12, 19e-12}));
  table.rows.push_back(row_of("div.u32", {{"IMAD", 2.0}, {"ISETP", 3.0}}, {2e-10, 1e-10, 3e-10}));
  return table;
}

TEST(Prediction, SumsCountsAndNamesWhatIsMissing) {
  const Prediction prediction =
      predict(table(), {.counts = {{"FFMA", 1e12}, {"div.u32", 1e10}, {"HGMMA", 1e10}}});
  EXPECT_NEAR(prediction.energy_j->value, 17.0 + 2.0, 1e-9);
  // Baselines of all rows err alike: 1 J of FFMA and 1 J of the division add up. The two rows of
  // FFMA differ by 2 J, a standard deviation of sqrt(2), which is FFMA's own.
  const double own = kCoverageFactor95 * std::sqrt(2.0);
  const double mixing = 0.24 * (1 - std::pow(17.0 / 19, 2) - std::pow(2.0 / 19, 2)) * 19.0;
  EXPECT_EQ(prediction.mixing_j.value, 0.0);
  EXPECT_NEAR(prediction.mixing_j.upper, mixing, 1e-9);
  EXPECT_NEAR(prediction.energy_j->lower, 19.0 - std::hypot(1.0 + 1.0, own), 1e-9);
  EXPECT_NEAR(prediction.energy_j->upper, 19.0 + std::hypot(1.0 + 1.0, own) + mixing, 1e-9);
  ASSERT_EQ(prediction.missing.size(), 1U);
  EXPECT_EQ(prediction.missing[0].first, "HGMMA");
  EXPECT_NEAR(prediction.covered, 1.01 / 1.02, 1e-9);
}

TEST(Prediction, ATableThatTellsWhatMixedCodeDrawsCountsIt) {
  Table known = table();
  known.mixing = Mixing{.share = 0.12, .share_u = 0.02, .scatter = 0.05};
  const Prediction prediction =
      predict(known, {.counts = {{"fma.rn.f32", 1e12}, {"div.u32", 1e11}}});
  // 16 and 20 J: of two kinds are 2 * 16 * 20 of 36 * 36 pairs.
  const double pairs = 2.0 * 16 * 20 / (36 * 36);
  const double u = 36 * std::hypot(0.02 * pairs, 0.05 * pairs);
  EXPECT_NEAR(prediction.mixing_j.value, 0.12 * pairs * 36, 1e-9);
  EXPECT_NEAR(half_width_of(prediction.mixing_j), kCoverageFactor95 * u, 1e-9);
  EXPECT_NEAR(prediction.energy_j->value, 36 + 0.12 * pairs * 36, 1e-9);
  EXPECT_NEAR(half_width_of(*prediction.energy_j), std::hypot(1.0 + 10.0, kCoverageFactor95 * u),
              1e-9);
}

TEST(Prediction, OneInstructionAloneMixesWithNothing) {
  EXPECT_NEAR(predict(table(), {.counts = {{"fma.rn.f32", 1e12}}}).mixing_j.upper, 0.0, 1e-12);
}

TEST(Prediction, AnInstructionOnSeveralLinesIsOne) {
  const Prediction twice =
      predict(table(), {.counts = {{"fma.rn.f32", 1e12}, {"div.u32", 0}, {"fma.rn.f32", 2e12}}});
  ASSERT_EQ(twice.parts.size(), 1U);
  EXPECT_EQ(twice.parts[0].count, 3e12);
  EXPECT_NEAR(twice.energy_j->value, 48, 1e-9);
  EXPECT_NEAR(twice.mixing_j.upper, 0.0, 1e-12);
  EXPECT_TRUE(twice.missing.empty());
}

TEST(Prediction, IsByTheRowsOfTheOperandsAskedFor) {
  Table both = table();
  both.rows.push_back(row_of("fma.rn.f32", {{"FFMA", 1.0}}, {4e-12, 3e-12, 5e-12}));
  both.rows.back().key.operands = kernels::Operands::zeros;
  const KernelCounts executed{.counts = {{"FFMA", 1e12}, {"fma.rn.f32", 1e12}}};
  const Prediction zeros = predict(both, executed, kernels::Operands::zeros);
  EXPECT_NEAR(zeros.energy_j->value, 4.0 + 4.0, 1e-9);
  EXPECT_EQ(zeros.operands, kernels::Operands::zeros);
  EXPECT_NEAR(predict(both, executed).energy_j->value, 17.0 + 16.0, 1e-9);
}

TEST(Prediction, ATableOfOtherOperandsSaysHowToAskForThem) {
  Table zeros = table();
  for (Row& row : zeros.rows) row.key.operands = kernels::Operands::zeros;
  const auto random = check_operands(zeros, kernels::Operands::random);
  ASSERT_FALSE(random);
  EXPECT_THAT(random.error().message, testing::HasSubstr("rows of zeros alone"));
  EXPECT_THAT(random.error().message, testing::HasSubstr("--operands zeros"));
  EXPECT_TRUE(check_operands(zeros, kernels::Operands::zeros));
  EXPECT_TRUE(check_operands(Table(), kernels::Operands::random));
}

TEST(Prediction, KnowsTheOtherSpellingsOfAnInstruction) {
  Table known;
  known.rows.push_back(row_of("mul.f32", {}, {2e-12, 1e-12, 3e-12}));
  known.rows.push_back(row_of("ld.shared.u32", {}, {4e-12, 3e-12, 5e-12}));
  known.rows.push_back(row_of("ld.global.ca.u64", {}, {6e-12, 5e-12, 7e-12}));
  const Prediction prediction = predict(known, {.counts = {{"mul.rn.f32", 1},
                                                           {"ld.shared.b32", 1},
                                                           {"ld.shared.f32", 1},
                                                           {"ld.global.f64", 1},
                                                           {"mul.rz.f32", 1},
                                                           {"ld.shared.u64", 1},
                                                           {"mul.u32", 1}}});
  EXPECT_NEAR(prediction.energy_j->value, 2e-12 + 2 * 4e-12 + 6e-12, 1e-18);
  EXPECT_EQ(prediction.missing.size(), 3U) << "another rounding, width or type is another one";
}

TEST(TableFile, ReadsWhatItKnowsAndRefusesTheRest) {
  const auto read = parse_table(
      R"({"schema": "truewatt.instructions/1", "device": {"name": "X", "uuid": "GPU-1"},
          "scale": {"relative_half_width": 0.07, "calibrated": false},
          "mixing": {"share": 0.1, "share_standard_uncertainty": 0.02, "scatter": 0.06,
                     "pairs": [{"kernel": "x", "share": 0.1,
                                "per_iteration": [{"name": "add.f32", "count": 48}]}, 3]},
          "rows": [{"instruction": "add.s32", "opt": "O3", "operands": "random", "valid": true,
                    "dynamic_j": {"value": 4e-12, "lower": 3e-12, "upper": 5e-12},
                    "machine": [{"opcode": "IADD3", "per_instruction": 1}],
                    "reasons": ["imprecise", "of_a_later_version"]},
                   {"instruction": "add.s32", "opt": "O9", "operands": "random"}, 7]})",
      "table.json");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->rows.size(), 1U);
  EXPECT_TRUE(read->rows[0].valid);
  EXPECT_THAT(read->rows[0].reasons, testing::ElementsAre(Reason::imprecise));
  EXPECT_THAT(read->notes, testing::Contains(testing::HasSubstr("left out: of_a_later_version")));
  EXPECT_EQ(read->rows[0].machine[0].opcode, "IADD3");
  ASSERT_TRUE(read->mixing);
  EXPECT_EQ(read->mixing->scatter, 0.06);
  ASSERT_EQ(read->mixing->pairs.size(), 1U);
  EXPECT_EQ(read->mixing->pairs[0].per_iteration[0].second, 48);
  for (const char* bad : {"", "[]", "{\"schema\": \"truewatt.energy/1\"}",
                          "{\"schema\": \"truewatt.instructions/1\", \"rows\": 3}"}) {
    EXPECT_FALSE(parse_table(bad, "bad.json")) << bad;
  }
}

TEST(TableFile, OfRowsOfOneKeyTheFirstCounts) {
  const auto row = [](const char* instruction, double joules) {
    return fmt::format(R"({{"instruction": "{}", "opt": "O3", "operands": "random", "valid": true,
                            "dynamic_j": {{"value": {}, "lower": 1, "upper": 9}}}})",
                       instruction, joules);
  };
  const auto read =
      parse_table(fmt::format(R"({{"schema": "truewatt.instructions/1", "rows": [{}, {}, {}]}})",
                              row("add.s32", 4), row("add.s32", 5), row("add.s33", 6)),
                  "table.json");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->rows.size(), 2U);
  EXPECT_EQ(read->rows[0].dynamic_j->value, 4);
  EXPECT_EQ(read->rows[1].key.instruction, "add.s33");
  EXPECT_THAT(read->notes,
              testing::ElementsAre(testing::HasSubstr("1 of the file's `rows` repeat others"),
                                   testing::HasSubstr("does not know: add.s33;")));
}

TEST(TableFile, NumbersThatAreNoIntervalAreNoNumber) {
  const auto read = parse_table(
      R"({"schema": "truewatt.instructions/1",
          "rows": [{"instruction": "a", "opt": "O0", "operands": "zeros", "valid": true,
                    "dynamic_j": {"value": 4, "lower": 5, "upper": 3}}]})",
      "table.json");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->rows.empty());
  ASSERT_FALSE(read->notes.empty());
  EXPECT_EQ(read->notes[0].substr(0, 23), "1 of the file's `rows` ");
}

}  // namespace
}  // namespace truewatt::instructions
