#pragma once

#include <optional>
#include <string_view>

namespace truewatt::memory {

/// What a reader of a row must know.
enum class Reason {
  not_compiled,         ///< the driver's compiler refused its kernel, or the result was wrong
  not_in_machine_code,  ///< fewer accesses in the machine code than in the text
  spilled,              ///< registers went to memory
  wrong_level,          ///< under 90 % of the sectors were served where they should have been
  mixed_levels,         ///< 90 to 99 % were: the fit charges the others to their own levels
  unpaid_level,         ///< another level served some of its sectors and has no number
  wrong_count,          ///< sectors are not what the pattern comes to, within 2 %
  write_through,        ///< stores to this level go on to the next one
  not_counted,          ///< without hardware counters: levels rest on sizes and on time
  not_measured,         ///< no time was left, or readings gave no energy
  imprecise,            ///< wider than was asked for
  fewer_blocks,         ///< its rate is that of a part of the multiprocessors, below the limit
  clocks_limited,       ///< measured while a limit lowered the clock
  mixed_clocks,         ///< ... further than in other stretches, or than while spinning
  active_idle,          ///< idle between the kernels draws more than spinning: no baseline
  not_positive,         ///< the fit gave it less than nothing
  last_ = not_positive,
};

/// "wrong_level".
std::string_view to_string(Reason reason);
std::optional<Reason> parse_reason(std::string_view code);
/// The sentence for people.
std::string_view explain(Reason reason);
/// Whether a row with it has no number to be trusted.
bool spoils(Reason reason);

}  // namespace truewatt::memory
