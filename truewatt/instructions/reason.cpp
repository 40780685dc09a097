#include "truewatt/instructions/reason.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt::instructions {
namespace {

struct ReasonRow {
  std::string_view code;
  bool spoils = false;
  std::string_view words;
};

/// The compiler names the enumerator that has no row here.
constexpr ReasonRow reason_row(Reason reason) {
  switch (reason) {
    case Reason::folded:
      return {"folded", true, "the compiler removed or merged it: something else runs"};
    case Reason::not_compiled:
      return {"not_compiled", true, "the driver refused it, or its result was wrong"};
    case Reason::not_measured:
      return {"not_measured", true,
              "the time ended before its turn, or readings are too rare to show it; give more "
              "--budget"};
    case Reason::imprecise:
      return {"imprecise", false, "wider than 3 %; more --budget narrows it"};
    case Reason::clocks_limited:
      return {"clocks_limited", false, "a limit lowered the clock meanwhile"};
    case Reason::mixed_clocks:
      return {"mixed_clocks", true,
              "a limit lowered the clock further than in other stretches or than while spinning: "
              "an energy of no one clock; more --budget tries fewer SMs"};
    case Reason::fewer_blocks:
      return {"fewer_blocks", false, "on a part of the SMs, to stay below the power limit"};
    case Reason::scatter:
      return {"scatter", false, "its energy is not linear in the number of instructions"};
    case Reason::active_idle:
      return {
          "active_idle", true,
          "the board idles higher after work than while it spins, so that energy above idle has "
          "no baseline; energy above spinning stands"};
    case Reason::pair:
      return {"pair", false, "with the instruction that it needs beside it"};
    case Reason::partner_missing:
      return {"partner_missing", true,
              "it runs together with another instruction whose energy was not measured"};
  }
  return {};
}
constexpr auto kRows = rows_of<Reason, reason_row>();

}  // namespace

std::string_view to_string(Reason reason) { return row_of(kRows, reason).code; }
std::string_view explain(Reason reason) { return row_of(kRows, reason).words; }
bool spoils(Reason reason) { return row_of(kRows, reason).spoils; }
std::optional<Reason> parse_reason(std::string_view code) { return find_code<Reason>(kRows, code); }

}  // namespace truewatt::instructions
