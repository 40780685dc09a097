#include "truewatt/instructions/instruction_costs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::instructions {
namespace {

using kernels::Optimization;
using uncertainty::Cause;

/// Known to 1 pJ of its baseline and `own` pJ of its own, as standard uncertainties.
struct Told {
  std::string instruction;
  double energy_pj = 0.0;
  std::vector<machine_code::OpcodeCount> machine;
  std::string partner{};
  Optimization optimization = Optimization::O3;
  double own_pj = 0.5;
};

Row row_of(const Told& told) {
  Row row;
  row.key = {told.instruction, told.optimization};
  row.machine = told.machine;
  row.partner = told.partner;
  const double half = kCoverageFactor95 * std::hypot(1.0, told.own_pj);
  row.dynamic_j = {1e-12 * told.energy_pj, 1e-12 * (told.energy_pj - half),
                   1e-12 * (told.energy_pj + half)};
  row.dynamic_budget = {{Cause::pause_idle, 1e-12}, {Cause::scatter, 1e-12 * told.own_pj}};
  row.valid = true;
  return row;
}

Table table_of(const std::vector<Told>& rows) {
  Table table;
  for (const Told& one : rows) table.rows.push_back(row_of(one));
  return table;
}

void expect_cost(const InstructionCosts& costs, const std::string& name, double picojoules) {
  const auto cost = costs.of(name);
  ASSERT_TRUE(cost) << name;
  EXPECT_NEAR(1e12 * cost->value(), picojoules, 1e-9) << name;
}

TEST(InstructionCosts, AreRowsByKeyByPtxAndByOpcode) {
  const InstructionCosts costs(table_of(
      {{"mma.sync.m16n8k16.f32.f16", 140, {{"HMMA", 1}}}, {"add.f32", 10, {{"FADD", 1}}}}));
  expect_cost(costs, "mma.sync.m16n8k16.f32.f16", 140);
  expect_cost(costs, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 140);
  expect_cost(costs, "HMMA", 140);
  expect_cost(costs, "FADD", 10);
  EXPECT_FALSE(costs.of("FFMA"));
}

TEST(InstructionCosts, AnOpcodesCostIsTheMeanOfItsRowsAndTheyScatter) {
  const InstructionCosts costs(
      table_of({{"fma.rn.f32", 16, {{"FFMA", 1}}}, {"mad.rn.f32", 18, {{"FFMA", 1}}}}));
  const auto cost = costs.of("FFMA");
  ASSERT_TRUE(cost);
  EXPECT_NEAR(1e12 * cost->value(), 17, 1e-9);
  // The baseline is one error of both, 1 pJ; the rows' own average, 0.5 / sqrt(2) pJ; they differ
  // by a standard deviation of sqrt(2) pJ.
  const double expected = std::sqrt(1.0 + 0.25 / 2 + 2.0);
  EXPECT_NEAR(1e12 * cost->standard_uncertainty(), expected, 1e-9);
}

TEST(InstructionCosts, ARowsMachineInstructionsAreWithoutItsPartners) {
  const InstructionCosts costs(
      table_of({{"xor.b32", 13, {{"LOP3", 1}}},
                {"mul.hi.u32", 26, {{"IMAD.HI", 1}, {"LOP3", 1}}, "xor.b32"}}));
  expect_cost(costs, "IMAD.HI", 26);
}

TEST(InstructionCosts, TheOneUnknownOpcodeOfARowIsWhatTheOthersLeave) {
  const InstructionCosts costs(table_of({{"add.s32", 12, {{"IADD3", 0.5}, {"IMAD.IADD", 0.5}}},
                                         {"add.s32", 13, {{"IADD3", 1}}, "", Optimization::O0}}));
  expect_cost(costs, "IADD3", 13);
  expect_cost(costs, "IMAD.IADD", 11);
  // (12 - 6.5) / 0.5: 2 pJ of one baseline and 1 pJ of the other, which may be another recording's;
  // of the rows alone 1 and 0.5 pJ.
  const double expected = std::sqrt(4.0 + 1.0 + 1.0 + 0.25);
  EXPECT_NEAR(1e12 * costs.of("IMAD.IADD")->standard_uncertainty(), expected, 1e-9);
}

TEST(InstructionCosts, RowsAtO3AreBeforeThoseAtO0) {
  const InstructionCosts costs(table_of(
      {{"add.f32", 14, {{"FADD", 1}}, "", Optimization::O0}, {"sub.f32", 10, {{"FADD", 1}}}}));
  expect_cost(costs, "FADD", 10);
  EXPECT_FALSE(costs.of("add.f32")) << "PTX is compiled at O3";
}

TEST(InstructionCosts, WhatIsNotKnownToItsOwnSizeIsNotKnown) {
  const InstructionCosts costs(
      table_of({{"add.f32", 10, {{"FADD", 1}}}, {"x", 11, {{"FADD", 1}, {"MOV", 1}}}}));
  EXPECT_TRUE(costs.of("FADD"));
  EXPECT_FALSE(costs.of("MOV")) << "1 pJ, and 1.4 pJ is the standard uncertainty of both rows";
}

}  // namespace
}  // namespace truewatt::instructions
