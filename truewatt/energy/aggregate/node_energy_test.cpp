#include "truewatt/energy/aggregate/node_energy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::energy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

struct Known {
  double joules = 0.0;
  double gain = 0.0;   ///< standard uncertainty, shared by one kind of meter
  double other = 0.0;  ///< the rest
};

NodeMeter meter(NodePart part, const std::string& label, const std::optional<Known>& known) {
  static int number = 0;  // every meter is a sensor of its own
  NodeMeter made;
  made.source.part = part;
  made.source.label = label;
  made.source.estimate.device.uuid = (label == "gpu" ? "GPU-" : "HOST-") + std::to_string(++number);
  if (known) {
    const double sd = std::hypot(known->gain, known->other);
    made.source.estimate.window = Seconds(1.0);
    made.source.estimate.energy = EnergyInterval{interval95({known->joules, sd}), sd, known->gain};
  }
  return made;
}
NodeMeter a_gpu(const Known& known, NodePart part = NodePart::gpu, int per_module = 0) {
  NodeMeter made = meter(part, "gpu", known);
  made.gpus_per_module = per_module;
  return made;
}
NodeMeter rapl(NodePart part, const std::optional<Known>& known) {
  const std::string label = part == NodePart::package ? "package"
                            : part == NodePart::dram  ? "dram"
                                                      : "platform";
  NodeMeter made = meter(part, label, known);
  made.source.estimate.device.driver = "powercap";
  return made;
}
NodeMeter grace(NodePart part, int socket, const std::optional<Known>& known) {
  const std::string label = part == NodePart::grace_cpu      ? "cpu "
                            : part == NodePart::grace_module ? "module "
                                                             : "rail ";
  NodeMeter made = meter(part, label + std::to_string(socket), known);
  made.socket = socket;
  return made;
}
NodeMeter refused(NodeMeter made) {
  made.source.estimate.energy.reset();
  made.source.estimate.reasons = {Reason::permission_denied};
  made.source.refusal = "chmod o+r file";
  return made;
}

double joules(const NodeEnergy& node) { return node.energy.value().interval.value; }

using Meters = std::vector<std::vector<NodeMeter>>;

/// No number, nothing marked as part of one, and the reason.
void expect_none(const NodeEnergy& node, Reason why) {
  EXPECT_FALSE(node.energy);
  EXPECT_THAT(node.covers, IsEmpty());
  EXPECT_THAT(node.reasons, Contains(why));
  for (const NodeSource& source : node.sources) EXPECT_FALSE(source.added) << source.label;
}

TEST(NodeEnergy, OfAServerIsGpusPackagesAndDram) {
  const NodeEnergy node =
      node_energy({a_gpu({1000}), a_gpu({900}), rapl(NodePart::package, Known{200}),
                   rapl(NodePart::dram, Known{30}), rapl(NodePart::package, Known{190}),
                   rapl(NodePart::dram, Known{20})});
  EXPECT_DOUBLE_EQ(joules(node), 2340);
  EXPECT_THAT(node.covers, ElementsAre("gpu", "gpu", "package", "dram", "package", "dram"));
  EXPECT_THAT(node.reasons, IsEmpty());
}

TEST(NodeEnergy, NeverAddsAPlatformThatHoldsThePackages) {
  const NodeEnergy node = node_energy(
      {a_gpu({1000}), rapl(NodePart::package, Known{200}), rapl(NodePart::platform, Known{1500})});
  EXPECT_DOUBLE_EQ(joules(node), 1200);
  EXPECT_FALSE(node.sources.at(2).added);
  EXPECT_THAT(node.covers, Not(Contains("platform")));
}

TEST(NodeEnergy, OfMetersOfOneKindKnowsTheirGainsTogether) {
  const NodeEnergy node = node_energy({a_gpu({1000, 40, 3}), a_gpu({1000, 40, 4}),
                                       rapl(NodePart::package, Known{300, 15, 1}),
                                       rapl(NodePart::dram, Known{50, 5, 2})});
  // GPUs 80 together, RAPL 20 together, the two and everything else in quadrature.
  EXPECT_DOUBLE_EQ(node.energy.value().gain_uncertainty, std::hypot(80, 20));
  EXPECT_NEAR(node.energy->standard_uncertainty, std::sqrt(80 * 80 + 20 * 20 + 9 + 16 + 1 + 4),
              1e-9);
}

TEST(NodeEnergy, OfASuperchipIsItsModuleAloneAndNeverTheGpuWithIt) {
  for (const NodePart part : {NodePart::gpu, NodePart::gpu_unclear, NodePart::gpu_module}) {
    const NodeEnergy node =
        node_energy({a_gpu({1000}, part, 1), grace(NodePart::grace_cpu, 0, Known{200}),
                     grace(NodePart::grace_module, 0, Known{1250})});
    EXPECT_DOUBLE_EQ(joules(node), 1250);
    EXPECT_THAT(node.covers, ElementsAre("module 0"));
    EXPECT_FALSE(node.sources.at(0).added);
    EXPECT_FALSE(node.sources.at(1).added);
    EXPECT_TRUE(node.sources.at(2).added);
  }
}

TEST(NodeEnergy, OfAModuleNeedsNoEnergyOfWhatItContains) {
  NodeMeter unknown = meter(NodePart::gpu_unclear, "gpu", std::nullopt);
  unknown.gpus_per_module = 1;
  const NodeEnergy node =
      node_energy({unknown, refused(grace(NodePart::grace_cpu, 0, std::nullopt)),
                   grace(NodePart::grace_module, 0, Known{1250})});
  EXPECT_DOUBLE_EQ(joules(node), 1250);
  EXPECT_THAT(node.reasons, IsEmpty());
}

TEST(NodeEnergy, OfSeveralSuperchipsIsTheirModules) {
  const auto modules = [](int gpus, int per_module, int sockets) {
    std::vector<NodeMeter> meters;
    for (int i = 0; i < gpus; ++i) meters.push_back(a_gpu({1000}, NodePart::gpu, per_module));
    for (int i = 0; i < sockets; ++i) {
      meters.push_back(grace(NodePart::grace_cpu, i, Known{200}));
      meters.push_back(grace(NodePart::grace_module, i, Known{1250}));
    }
    return node_energy(meters);
  };
  EXPECT_DOUBLE_EQ(joules(modules(4, 1, 4)), 5000);
  EXPECT_DOUBLE_EQ(joules(modules(1, 1, 4)), 5000) << "whichever GPU was asked for";
  EXPECT_DOUBLE_EQ(joules(modules(4, 2, 2)), 2500);
  expect_none(modules(2, 1, 1), Reason::node_ambiguous);
  expect_none(modules(5, 2, 2), Reason::node_ambiguous);
}

TEST(NodeEnergy, WhereAGpuMayBeOnAModuleOrBesideItIsAmbiguous) {
  expect_none(node_energy({a_gpu({1000}), grace(NodePart::grace_cpu, 0, Known{200}),
                           grace(NodePart::grace_module, 0, Known{1250})}),
              Reason::node_ambiguous);
  // One socket shows its module, the other does not: which GPU is on which is not known.
  expect_none(node_energy({a_gpu({1000}, NodePart::gpu, 1), a_gpu({1000}, NodePart::gpu, 1),
                           grace(NodePart::grace_cpu, 0, Known{200}),
                           grace(NodePart::grace_module, 0, Known{1250}),
                           grace(NodePart::grace_cpu, 1, Known{200}),
                           refused(grace(NodePart::grace_module, 1, std::nullopt))}),
              Reason::node_ambiguous);
}

TEST(NodeEnergy, WithoutAModuleIsGpuAndCpu) {
  const NodeEnergy node =
      node_energy({a_gpu({1000}, NodePart::gpu, 1), grace(NodePart::grace_cpu, 0, Known{200}),
                   refused(grace(NodePart::grace_module, 0, std::nullopt))});
  EXPECT_DOUBLE_EQ(joules(node), 1200);
  EXPECT_THAT(node.covers, ElementsAre("gpu", "cpu 0"));
  EXPECT_THAT(node.reasons, IsEmpty()) << "what the module covers is covered";
}

TEST(NodeEnergy, ARailIsAddedWhereNoMeterIsOfTheWholeSocket) {
  const NodeEnergy node = node_energy(
      {a_gpu({1000}), grace(NodePart::grace_rail, 0, Known{100}),
       grace(NodePart::grace_cpu, 0, Known{200}), grace(NodePart::grace_rail, 0, Known{20}),
       grace(NodePart::grace_rail, 1, Known{110}), grace(NodePart::grace_rail, 1, Known{30})});
  EXPECT_DOUBLE_EQ(joules(node), 1000 + 200 + 110 + 30);
  EXPECT_THAT(node.covers, ElementsAre("gpu", "cpu 0", "rail 1", "rail 1"));
  // One that refuses is not replaced by what is a part of it.
  expect_none(node_energy({a_gpu({1000}), grace(NodePart::grace_rail, 0, Known{100}),
                           refused(grace(NodePart::grace_cpu, 0, std::nullopt))}),
              Reason::node_incomplete);
}

TEST(NodeEnergy, WithoutACpuIsNone) {
  // Each of these was once GPUs under the node's name.
  const Meters no_cpu = {
      {a_gpu({1000}), rapl(NodePart::platform, Known{400})},
      {a_gpu({1000}), rapl(NodePart::dram, Known{30})},
      {a_gpu({1000}), grace(NodePart::grace_io, 0, Known{20})},
      {a_gpu({1000}), grace(NodePart::grace_other, 0, std::nullopt),
       grace(NodePart::grace_rail, 0, Known{100})},
      {a_gpu({1000}, NodePart::gpu, 1), refused(grace(NodePart::grace_module, 0, std::nullopt))},
      {a_gpu({1000}), grace(NodePart::grace_cpu, 0, Known{200}),
       grace(NodePart::grace_io, 1, Known{20})}};
  for (const auto& meters : no_cpu) expect_none(node_energy(meters), Reason::node_incomplete);
  EXPECT_THAT(node_energy(no_cpu[4]).reasons, Contains(Reason::permission_denied));
}

TEST(NodeEnergy, DoubtInAPartIsDoubtInTheWhole) {
  NodeMeter gpu = a_gpu({1000});
  NodeMeter package = rapl(NodePart::package, Known{200});
  gpu.source.estimate.valid = gpu.source.estimate.resolved = true;
  package.source.estimate.valid = package.source.estimate.resolved = true;
  EXPECT_TRUE(node_energy({gpu, package}).valid);
  EXPECT_TRUE(node_energy({gpu, package}).resolved);
  gpu.source.estimate.resolved = false;
  gpu.source.estimate.reasons = {Reason::uncalibrated_gain, Reason::phase_lock_not_excluded};
  package.source.estimate.valid = false;
  package.source.estimate.reasons = {Reason::gap_in_readings};
  const NodeEnergy node = node_energy({gpu, package});
  EXPECT_FALSE(node.valid);
  EXPECT_FALSE(node.resolved);
  EXPECT_THAT(node.reasons, ElementsAre(Reason::phase_lock_not_excluded, Reason::gap_in_readings));
}

TEST(NodeEnergy, AGpusSourceThatSeesItsModuleIsNeverAddedToTheCpu) {
  const NodeEnergy node = node_energy(
      {a_gpu({1250}, NodePart::gpu_module, 1), grace(NodePart::grace_cpu, 0, Known{200})});
  EXPECT_DOUBLE_EQ(joules(node), 1250);
  EXPECT_FALSE(node.sources.at(1).added);
  // Two GPUs of one module would both show it, and one of two modules leaves the other's CPU out.
  expect_none(
      node_energy({a_gpu({1250}, NodePart::gpu_module, 2), a_gpu({1250}, NodePart::gpu_module, 2),
                   grace(NodePart::grace_cpu, 0, Known{200}),
                   grace(NodePart::grace_cpu, 1, Known{200})}),
      Reason::node_ambiguous);
  expect_none(node_energy({a_gpu({1250}, NodePart::gpu_module, 1),
                           grace(NodePart::grace_cpu, 0, Known{200}),
                           grace(NodePart::grace_cpu, 1, Known{200})}),
              Reason::node_ambiguous);
  expect_none(
      node_energy({a_gpu({1250}, NodePart::gpu_module), rapl(NodePart::package, Known{200})}),
      Reason::node_ambiguous);
}

TEST(NodeEnergy, AGpusSourceThatMaySeeItsModuleIsNotAddedToTheCpu) {
  expect_none(node_energy({a_gpu({1000}, NodePart::gpu_unclear, 1),
                           grace(NodePart::grace_cpu, 0, Known{200})}),
              Reason::node_ambiguous);
}

TEST(NodeEnergy, WithARefusalIsIncompleteAndHasNoNumber) {
  const NodeEnergy node =
      node_energy({a_gpu({1000}), refused(rapl(NodePart::package, std::nullopt)),
                   rapl(NodePart::dram, Known{30})});
  expect_none(node, Reason::node_incomplete);
  EXPECT_THAT(node.reasons, Contains(Reason::permission_denied));
  EXPECT_EQ(node.sources.at(1).refusal, "chmod o+r file");
  EXPECT_TRUE(node.sources.at(2).estimate.energy) << "what is known stays";
}

TEST(NodeEnergy, WithAGpuThatHasNoneIsIncomplete) {
  const NodeEnergy node =
      node_energy({meter(NodePart::gpu, "gpu", std::nullopt), rapl(NodePart::package, Known{200})});
  expect_none(node, Reason::node_incomplete);
  EXPECT_THAT(node.reasons, Not(Contains(Reason::permission_denied)));
}

TEST(NodeEnergy, WithARefusedPlatformIsWhole) {
  const NodeEnergy node = node_energy({a_gpu({1000}), rapl(NodePart::package, Known{200}),
                                       refused(rapl(NodePart::platform, std::nullopt))});
  EXPECT_DOUBLE_EQ(joules(node), 1200);
  EXPECT_THAT(node.reasons, IsEmpty());
}

TEST(NodeEnergy, WithoutTheHostsMetersHasNoSources) {
  const NodeEnergy node = node_energy({a_gpu({1000})});
  expect_none(node, Reason::no_host_sources);
  EXPECT_THAT(node.sources, IsEmpty());
}

TEST(NodeEnergy, TellsWhatTheHostsMetersLack) {
  NodeMeter package = rapl(NodePart::package, Known{200});
  package.source.estimate.reasons = {Reason::uncalibrated_host};
  EXPECT_THAT(node_energy({a_gpu({1000}), package}).reasons,
              ElementsAre(Reason::uncalibrated_host));
}

TEST(NodeEnergy, KnowsSuperchipsByTheirNames) {
  EXPECT_EQ(gpus_per_module("NVIDIA GH200 480GB"), 1);
  EXPECT_EQ(gpus_per_module("sim:gh200"), 1);
  EXPECT_EQ(gpus_per_module("NVIDIA GB200"), 2);
  EXPECT_EQ(gpus_per_module("NVIDIA H200"), 0);
  EXPECT_EQ(gpus_per_module("NVIDIA B200"), 0);
}

}  // namespace
}  // namespace truewatt::energy
