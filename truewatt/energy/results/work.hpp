#pragma once

#include <optional>
#include <string>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/results/results.hpp"

namespace truewatt::energy {

/// How much work a run did, as its program counts it. Known exactly.
struct Work {
  double done = 0.0;  ///< above 0
  std::string unit;   ///< in the plural: "tokens"
};

/// What a unit of work takes, and its reciprocal (docs/method.md, section 11). Pure.
Interval joules_per_unit(const Interval& joules, const Work& work);
/// Absent where the energy may be 0 or less: the reciprocal then has no bound.
std::optional<Interval> units_per_joule(const Interval& joules, const Work& work);

/// "token" of "tokens": what stands after "per". Other plurals than -s and -es stay as they are.
std::string singular(const std::string& unit);

}  // namespace truewatt::energy
