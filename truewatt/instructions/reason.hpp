#pragma once

#include <optional>
#include <string_view>

namespace truewatt::instructions {

/// What a reader of a row must know.
enum class Reason {
  folded,           ///< not in the machine code as often as in the text
  not_compiled,     ///< the driver's compiler refused it, or its result was wrong
  not_measured,     ///< no time was left, or readings gave no energy
  imprecise,        ///< wider than was asked for
  clocks_limited,   ///< measured while a limit lowered the clock
  mixed_clocks,     ///< ... further than the spinning loop's or its partner's
  fewer_blocks,     ///< measured on a share of the multiprocessors, to stay below the power limit
  scatter,          ///< the counts of instructions do not lie on one line
  active_idle,      ///< idle between the kernels draws more than spinning: no baseline
  pair,             ///< its number includes its partner, which no row has alone
  partner_missing,  ///< it runs with another instruction whose energy is not known
  last_ = partner_missing,
};

/// "folded".
std::string_view to_string(Reason reason);
std::optional<Reason> parse_reason(std::string_view code);
/// The sentence for people.
std::string_view explain(Reason reason);
/// Whether a row with it has no number to be trusted.
bool spoils(Reason reason);

}  // namespace truewatt::instructions
