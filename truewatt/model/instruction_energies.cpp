#include "truewatt/model/instruction_energies.hpp"

#include <string>

namespace truewatt {
namespace {

constexpr double kZerosShare = 2.0 / 3.0;
constexpr double kPico = 1e-12;

/// A name belongs to the first row whose operation it begins with and whose type it ends with.
struct UsualCost {
  std::string_view operation;
  std::string_view type;  ///< empty: any
  double picojoules;
  double cycles;
};

constexpr UsualCost kUsual[] = {
    {"mma.sync.m16n8k16", "f64", 560.0, 32.0},
    {"mma.sync.m16n8k8", "f64", 290.0, 16.0},
    {"mma.", "f64", 150.0, 16.0},
    {"mma.", "", 105.0, 16.0},
    {"wgmma.", "e4m3", 1740.0, 140.0},
    {"wgmma.", "s8", 1500.0, 140.0},
    {"wgmma.", "tf32", 1990.0, 140.0},
    {"wgmma.m64n128k16.f16", "", 1600.0, 140.0},
    {"wgmma.", "", 1890.0, 140.0},
    {"div.", "f64", 330.0, 40.0},
    {"div.rn", "f32", 75.0, 14.0},
    {"div.", "f32", 45.0, 8.0},
    {"div.", "", 95.0, 18.0},
    {"rem.", "", 100.0, 20.0},
    {"rcp.rn", "f64", 250.0, 30.0},
    {"sqrt.rn", "f64", 300.0, 40.0},
    {"rcp.rn", "f32", 60.0, 12.0},
    {"sqrt.rn", "f32", 65.0, 13.0},
    {"rsqrt", "f64", 200.0, 24.0},
    {"rsqrt", "", 26.0, 8.0},
    {"sqrt", "", 28.0, 8.0},
    {"rcp", "", 26.0, 8.0},
    {"sin", "", 27.0, 8.0},
    {"cos", "", 27.0, 8.0},
    {"tanh", "", 26.0, 8.0},
    {"lg2", "", 26.0, 8.0},
    {"ex2", "", 26.0, 8.0},
    {"fma", "f64", 28.5, 2.0},
    {"mad", "f64", 28.5, 2.0},
    {"mul", "f64", 24.0, 2.0},
    {"min", "f64", 36.0, 8.0},
    {"max", "f64", 36.0, 8.0},
    {"copysign", "f64", 11.0, 2.0},
    {"", "f64", 20.0, 2.0},
    {"fma", "f32", 8.5, 1.0},
    {"mad", "f32", 8.5, 1.0},
    {"mul", "f32", 7.5, 1.0},
    {"fma", "x2", 9.0, 1.0},
    {"mul", "x2", 8.0, 1.0},
    {"", "x2", 7.0, 1.0},
    {"fma", "f16", 5.5, 1.0},
    {"", "f16", 4.5, 1.0},
    {"mad24", "", 13.0, 2.0},
    {"mul24", "", 12.0, 2.0},
    {"madc", "", 22.0, 3.0},
    {"mad", "", 10.5, 2.0},
    {"mul.wide", "", 13.0, 2.0},
    {"mul", "", 9.5, 2.0},
    {"dp4a", "", 9.0, 2.0},
    {"popc", "", 14.0, 4.0},
    {"clz", "", 15.0, 4.0},
    {"bfind", "", 13.0, 4.0},
    {"cvt", "", 16.0, 4.0},
    {"shfl", "", 22.0, 4.0},
    {"redux", "", 30.0, 16.0},
    {"vote", "", 12.0, 4.0},
    {"bar", "", 15.0, 8.0},
    {"bra", "", 15.0, 4.0},
    {"ld.shared", "", 14.0, 4.0},
    {"st.shared", "", 16.0, 4.0},
    {"atom.shared", "", 60.0, 16.0},
    {"ldmatrix", "", 40.0, 8.0},
    {"ld.global.cg", "", 100.0, 32.0},
    {"ld.", "", 28.0, 8.0},
    {"st.", "", 150.0, 32.0},
    {"atom", "", 400.0, 64.0},
    {"red.shared", "", 45.0, 8.0},
    {"red", "", 350.0, 64.0},
    {"cp.async", "", 120.0, 32.0},
    {"abs", "", 8.0, 2.0},
    {"cnot", "", 9.0, 2.0},
    {"copysign", "", 5.5, 1.0},
    {"addc", "", 6.0, 1.0},
    {"sad", "", 7.0, 2.0},
    {"nanosleep", "", 5.5, 2e5},
    {"", "f32", 6.5, 1.0},
    {"", "", 5.5, 1.0},
};

InstructionCost usual_cost(std::string_view name) {
  for (const UsualCost& row : kUsual) {
    if (name.starts_with(row.operation) && name.ends_with(row.type)) {
      return {row.picojoules * kPico, row.cycles};
    }
  }
  return {};
}

}  // namespace

InstructionCost instruction_cost(const DeviceDescription& device, std::string_view name,
                                 bool zeros) {
  const std::string key(name);
  InstructionCost cost = usual_cost(name);
  cost.joules *= device.machine.usual_energies;
  const auto own = device.instruction_j.find(key);
  if (own != device.instruction_j.end()) cost.joules = own->second;
  if (!zeros) return cost;
  const auto of_zeros = device.instruction_zeros_j.find(key);
  cost.joules =
      of_zeros != device.instruction_zeros_j.end() ? of_zeros->second : kZerosShare * cost.joules;
  return cost;
}

}  // namespace truewatt
