#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/counters/counters.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/memory.hpp"
#include "truewatt/memory/plan.hpp"

namespace truewatt::memory {

/// Where the launches of a measurement are counted: by this process, by another one, or nowhere;
/// then what is measured rests on time, and a note says why.
class Counting {
 public:
  Counting(counters::Counters* here, const Options& options) : counters_(here), options_(options) {}

  /// Null where nothing counts.
  counters::Counters* counters() const { return counters_; }
  /// "time" without counters.
  std::string verified_by() const;
  /// This process does not count, for this reason.
  void refuse(Error why);
  void note_refusal(std::vector<std::string>& notes) const;
  /// Where this process has no counters, another one may have some for the launches of the plan.
  /// Errors: those of the load.
  Result<void> look_elsewhere(load::Load& load, const Sizes& sizes,
                              std::vector<std::string>& notes);

 private:
  counters::Counters* counters_;
  const Options& options_;
  std::unique_ptr<counters::Counters> elsewhere_;
  std::optional<Error> refusal_;  ///< why this process did not count
};

}  // namespace truewatt::memory
