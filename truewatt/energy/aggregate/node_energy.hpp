#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/energy/results/results.hpp"

namespace truewatt::energy {

/// What a meter of the node sees, as far as adding goes.
enum class NodePart {
  gpu,           ///< a GPU alone
  gpu_unclear,   ///< a superchip's GPU, and perhaps its whole module: nobody found out
  gpu_module,    ///< a GPU's source that sees its whole module
  package,       ///< a CPU package by RAPL, without server DRAM
  dram,          ///< its DRAM by RAPL
  platform,      ///< RAPL's psys: packages, and whatever else the maker wired to it
  grace_rail,    ///< a rail of a Grace socket: of its cores
  grace_io,      ///< ... of its I/O
  grace_other,   ///< ... of what nobody knows
  grace_cpu,     ///< the whole of a Grace socket, rails included
  grace_module,  ///< a Grace socket's module: its CPU and its GPUs
};

/// What one meter of the node told, and whether that is part of the node's energy.
struct NodeSource {
  EnergyEstimate estimate;        ///< without a number where the source refused
  Scope scope = Scope::gpu;       ///< what the readings cover
  std::string label;              ///< "GPU 0 (NVIDIA H200)", "DRAM of CPU package 0 (RAPL)"
  std::string refusal;            ///< what it answered instead, with the permission to grant
  NodePart part = NodePart::gpu;  ///< what it sees
  bool added = false;
};

/// Energy of the GPUs that were asked for and of what the host's own meters cover, nothing twice
///.
struct NodeEnergy {
  std::vector<NodeSource> sources;  ///< GPUs, then the host's; none where the host has none
  std::optional<EnergyInterval> energy;
  std::vector<std::string> covers;  ///< labels of what was added; empty without an energy
  bool valid = false;               ///< the data of all that was added are whole
  bool resolved = false;            ///< all that was added is
  std::vector<Reason> reasons;
};

/// One meter that may be part of the node's energy.
struct NodeMeter {
  NodeSource source;
  int socket = 0;           ///< of a Grace: its number
  int gpus_per_module = 0;  ///< GPUs: how many share a superchip's module; 0: not on one
};

/// How many GPUs share the module of a superchip of this name (GH200: 1, GB200 and GB300: 2); 0 for
/// every other product.
int gpus_per_module(std::string_view product);

/// Adds up the meters so that nothing is counted twice (docs/method.md, section 13):
///
/// 1. A platform is never added.
/// 2. Where a module has an energy, all Grace sockets must have one and all GPUs be on them: then
///    the modules stand for GPUs and CPUs.
/// 3. Otherwise GPUs, packages, DRAM and the CPUs of Grace sockets are added, by their rails where
///    no meter is of the whole. Where GPUs' sources see their modules, they stand for the CPUs, one
///    for each; where that is not clear, nothing is added beside.
///
/// What 2 and 3 cannot tell is `node_ambiguous`. What was to be added and has no energy, a Grace
/// socket of whose CPU nothing is added, and a node without any CPU are `node_incomplete`: the node
/// then has none. No meter but the GPUs': `no_host_sources`, and no
/// sources. Type-B gains of one kind of meter (GPUs, RAPL, Grace) add linearly, the rest, and kinds
/// among each other, in quadrature. Pure.
NodeEnergy node_energy(std::vector<NodeMeter> meters);

}  // namespace truewatt::energy
