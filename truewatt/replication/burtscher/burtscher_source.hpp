#pragma once
#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/replication/burtscher/figures.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::replication {

/// When the one load of Burtscher 2014's protocol worked, seconds after `origin`.
struct BurtscherLoad {
  HostTime origin;
  identification::Work work;
};

/// One source by the procedures of Burtscher 2014 (docs/method.md, section 9).
struct BurtscherSource {
  SourceProfile profile;
  PowerProfileFigures figures;
};

/// What the load tells of a source. Pure.
BurtscherSource burtscher_source(const Trace& trace, const BurtscherLoad& load);

}  // namespace truewatt::replication
