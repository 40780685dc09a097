#include "truewatt/energy/aggregate/node_energy.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "truewatt/energy/aggregate/estimate_budget.hpp"

namespace truewatt::energy {
namespace {

using Meters = std::vector<NodeMeter>;
using Parts = std::set<NodePart>;

bool is_gpu(const NodeMeter& meter) {
  return meter.source.part == NodePart::gpu || meter.source.part == NodePart::gpu_unclear ||
         meter.source.part == NodePart::gpu_module;
}
bool has_energy(const NodeMeter& meter) { return meter.source.estimate.energy.has_value(); }

bool any(const Meters& meters, NodePart part) {
  return std::any_of(meters.begin(), meters.end(),
                     [part](const NodeMeter& meter) { return meter.source.part == part; });
}
std::size_t gpu_count(const Meters& meters) {
  return static_cast<std::size_t>(std::count_if(meters.begin(), meters.end(), is_gpu));
}

/// Numbers of the Grace sockets of which there is a meter of one of these parts.
std::set<int> sockets_with(const Meters& meters, const Parts& parts) {
  std::set<int> sockets;
  for (const NodeMeter& meter : meters) {
    if (parts.count(meter.source.part) > 0) sockets.insert(meter.socket);
  }
  return sockets;
}
std::set<int> grace_sockets(const Meters& meters) {
  return sockets_with(meters, {NodePart::grace_rail, NodePart::grace_io, NodePart::grace_other,
                               NodePart::grace_cpu, NodePart::grace_module});
}

/// ... and of those whose module has an energy.
std::set<int> modules_with_energy(const Meters& meters) {
  std::set<int> sockets;
  for (const NodeMeter& meter : meters) {
    if (meter.source.part == NodePart::grace_module && has_energy(meter)) {
      sockets.insert(meter.socket);
    }
  }
  return sockets;
}

/// All GPUs are on modules, and these modules have room for them.
bool fit(const Meters& meters, std::size_t modules) {
  return std::all_of(meters.begin(), meters.end(), [&](const NodeMeter& meter) {
    const auto room = modules * static_cast<std::size_t>(meter.gpus_per_module);
    return !is_gpu(meter) || gpu_count(meters) <= room;
  });
}

/// What to add where modules have an energy: they contain GPUs and CPUs.
std::optional<Parts> by_modules(const Meters& meters, const std::set<int>& modules) {
  if (modules != grace_sockets(meters) || !fit(meters, modules.size())) return std::nullopt;
  return Parts{NodePart::grace_module, NodePart::package, NodePart::dram};
}

/// What to add where a GPU's source sees its module: that has the CPU in it. Each must be
/// another module's, and no module without one.
std::optional<Parts> by_gpus_modules(const Meters& meters) {
  const bool alike = std::all_of(meters.begin(), meters.end(), [](const NodeMeter& meter) {
    return !is_gpu(meter) ||
           (meter.source.part == NodePart::gpu_module && meter.gpus_per_module == 1);
  });
  const bool matched = gpu_count(meters) == grace_sockets(meters).size();
  if (!alike || !matched) return std::nullopt;
  return Parts{NodePart::gpu_module, NodePart::package, NodePart::dram};
}

/// The parts that together are the node, none within another; nothing where that cannot be told.
std::optional<Parts> parts_to_add(const Meters& meters) {
  const std::set<int> modules = modules_with_energy(meters);
  if (!modules.empty()) return by_modules(meters, modules);
  if (any(meters, NodePart::gpu_module)) return by_gpus_modules(meters);
  if (any(meters, NodePart::gpu_unclear)) return std::nullopt;
  return Parts{NodePart::gpu,        NodePart::package,  NodePart::dram,       NodePart::grace_cpu,
               NodePart::grace_rail, NodePart::grace_io, NodePart::grace_other};
}

/// Gains of meters of one kind may err alike (energy/aggregate/estimate_budget.hpp).
EnergyInterval sum_of(const Meters& meters) {
  std::vector<EnergyEstimate> added;
  for (const NodeMeter& meter : meters) {
    if (meter.source.added) added.push_back(meter.source.estimate);
  }
  return energy_interval(*total_budget(added, Quantity::gross));
}

void add_incomplete(NodeEnergy& node, const NodeMeter& meter) {
  add_reason(node.reasons, Reason::node_incomplete);
  const bool refused = has_reason(meter.source.estimate.reasons, Reason::permission_denied);
  if (refused) add_reason(node.reasons, Reason::permission_denied);
}

/// Parts that a CPU is in.
const Parts kOfCpu = {NodePart::package, NodePart::grace_rail, NodePart::grace_cpu,
                      NodePart::grace_module, NodePart::gpu_module};

/// Whether some CPU is added, and of every Grace socket its own or all by their GPUs' modules.
bool has_cpus(NodeEnergy& node, const Meters& meters) {
  const auto added_of_cpu = [](const NodeMeter& meter) {
    return meter.source.added && kOfCpu.count(meter.source.part) > 0;
  };
  if (std::none_of(meters.begin(), meters.end(), added_of_cpu)) {
    for (const NodeMeter& meter : meters) {
      if (!is_gpu(meter)) add_incomplete(node, meter);
    }
    return false;
  }
  bool complete = true;
  for (const NodeMeter& meter : meters) {
    if (grace_sockets({meter}).empty() || any(meters, NodePart::gpu_module)) continue;
    const bool covered = std::any_of(meters.begin(), meters.end(), [&](const NodeMeter& other) {
      return added_of_cpu(other) && !is_gpu(other) && !grace_sockets({other}).empty() &&
             other.socket == meter.socket;
    });
    if (covered) continue;
    complete = false;
    add_incomplete(node, meter);
  }
  return complete;
}

/// Marks what is added. False: some of it has no energy, or a CPU is missing, and nothing is
/// marked.
bool mark(NodeEnergy& node, Meters& meters, const Parts& parts) {
  bool complete = true;
  const std::set<int> whole = sockets_with(meters, {NodePart::grace_cpu});
  const Parts rails = {NodePart::grace_rail, NodePart::grace_io, NodePart::grace_other};
  for (NodeMeter& meter : meters) {
    const bool within = rails.count(meter.source.part) > 0 && whole.count(meter.socket) > 0;
    meter.source.added = parts.count(meter.source.part) > 0 && !within;
    if (!meter.source.added || has_energy(meter)) continue;
    complete = false;
    add_incomplete(node, meter);
  }
  if (complete && has_cpus(node, meters)) return true;
  for (NodeMeter& meter : meters) meter.source.added = false;
  return false;
}

/// Doubt in what was added is doubt in the sum.
void add_doubts(NodeEnergy& node, const EnergyEstimate& estimate, bool gpu) {
  node.valid = node.valid && estimate.valid;
  node.resolved = node.resolved && estimate.resolved;
  for (const Reason reason : estimate.reasons) {
    if (!gpu || puts_in_doubt(reason) || !estimate.valid) {
      add_reason(node.reasons, reason);
    }
  }
}

}  // namespace

int gpus_per_module(std::string_view product) {
  std::string name;
  for (const char c : product)
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  if (has("GH200")) return 1;
  return has("GB200") || has("GB300") ? 2 : 0;
}

NodeEnergy node_energy(std::vector<NodeMeter> meters) {
  NodeEnergy node;
  if (std::all_of(meters.begin(), meters.end(), is_gpu)) {
    node.reasons = {Reason::no_host_sources};
    return node;
  }
  const auto parts = parts_to_add(meters);
  if (!parts) add_reason(node.reasons, Reason::node_ambiguous);
  if (parts && mark(node, meters, *parts)) node.energy = sum_of(meters);
  node.valid = node.resolved = node.energy.has_value();
  for (NodeMeter& meter : meters) {
    if (meter.source.added) {
      node.covers.push_back(meter.source.label);
      add_doubts(node, meter.source.estimate, is_gpu(meter));
    }
    node.sources.push_back(std::move(meter.source));
  }
  return node;
}

}  // namespace truewatt::energy
