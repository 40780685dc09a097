#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/identification/profile/source_profile.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// What was played to tell which source sees CPU and which GPU work.
struct ScopeExperiment {
  std::vector<ActivityInterval> cpu;  ///< all CPU work, that for the CPU's own sources included
  std::vector<ActivityInterval> gpu;  ///< the GPU work beside it
  HostTime begin;                     ///< of the comparison ...
  HostTime end;                       ///< ... and its end
  HostTime cpu_end;                   ///< end of the CPU work alone that followed, or `end`
  std::vector<std::string> notes;
};

/// A source reacts to CPU work when the lower end of its answer is above this and above this share
/// of its answer to GPU work.
inline constexpr double kLeastReaction = 2.0;  // W
inline constexpr double kReactionShare = 0.02;

/// The observation model of a source of the CPU, from its readings during the experiment's CPU work
/// (the loads of a GPU do not tell it); without one the reason is `no_cpu_load`. Pure.
CharacterizedSource characterize_cpu_source(const Trace& trace, HostTime origin,
                                            const std::optional<ScopeExperiment>& experiment);

/// Fills `profile.scopes` of every source that showed enough, from what it published during the
/// comparison, and adds the reasons
///   observes_module  a GPU's source that reacts to CPU work: it shows the whole module
///   alias            another name of `profile.scopes->alias_of`
/// An energy counter is judged by the mean power between its ticks. Pure.
void add_scope_findings(const ScopeExperiment& experiment, const Recording& recording,
                        HostTime origin, std::vector<CharacterizedSource>& sources);

/// What the sources of one of the host's sockets do, from its recording beside the GPU's. Pure.
HostProfile characterize_host(const Recording& recording, HostTime origin,
                              const ScopeExperiment& experiment);

/// True when the source may stand for its scope: neither a module's nor another one's name.
bool stands_for_its_scope(const SourceProfile& profile);

}  // namespace truewatt::identification
