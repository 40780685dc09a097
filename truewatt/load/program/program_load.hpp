#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::load {

/// A program of known work (WorkloadProcess) as a load.
class ProgramLoad : public Load {
 public:
  /// Seconds that one iteration takes, as prepare() found.
  virtual Seconds iteration() const = 0;
  /// Iterations that a stretch of this length is played as: at least one.
  virtual long long iterations_in(Seconds length) const = 0;
};

/// A stretch of a schedule is played as the whole number of iterations that comes nearest to its
/// length, begun at its begin; the stamps are the program's. prepare() starts the program and finds
/// out how long an iteration takes; it accepts level 1 alone (invalid_argument). `clock` must be
/// the machine's and outlive the load.
std::unique_ptr<ProgramLoad> make_program_load(std::vector<std::string> argv,
                                               std::filesystem::path folder, Clock& clock);

}  // namespace truewatt::load
