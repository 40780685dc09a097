#include "truewatt/memory/reason.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt::memory {
namespace {

struct MemoryReasonRow {
  std::string_view code;
  bool spoils = false;
  std::string_view words;
};

/// The compiler names the enumerator that has no row here.
constexpr MemoryReasonRow memory_reason_row(Reason reason) {
  switch (reason) {
    case Reason::not_compiled:
      return {"not_compiled", true, "the driver refused its kernel, or the result was wrong"};
    case Reason::not_in_machine_code:
      return {"not_in_machine_code", true,
              "the compiler left fewer accesses in the machine code than the text has"};
    case Reason::spilled:
      return {"spilled", true, "registers were spilled to memory"};
    case Reason::wrong_level:
      return {"wrong_level", true,
              "not seen to be served at this level: less than 90 % of its sectors by counters, or, "
              "without them, the next level is neither slower nor dearer"};
    case Reason::mixed_levels:
      return {"mixed_levels", false,
              "90 to 99 % of its sectors were served at this level; the fit charges the others to "
              "theirs"};
    case Reason::unpaid_level:
      return {
          "unpaid_level", true,
          "some of its sectors were served at a level without a number, and would be charged to "
          "it"};
    case Reason::wrong_count:
      return {"wrong_count", true, "the counters' sectors are not those of the access pattern"};
    case Reason::write_through:
      return {"write_through", true, "stores that hit here go on to the next level"};
    case Reason::not_counted:
      return {"not_counted", false,
              "no hardware counters: its level rests on cache sizes and on time"};
    case Reason::not_measured:
      return {"not_measured", true,
              "the time ended before its turn, or readings are too rare to show it; give more "
              "--budget"};
    case Reason::imprecise:
      return {"imprecise", false, "wider than 5 %; more --budget narrows it"};
    case Reason::fewer_blocks:
      return {"fewer_blocks", false, "on a part of the SMs, to stay below the power limit"};
    case Reason::clocks_limited:
      return {"clocks_limited", false, "a limit lowered the clock meanwhile"};
    case Reason::mixed_clocks:
      return {"mixed_clocks", true,
              "a limit lowered the clock further than in other stretches or than while spinning: "
              "an energy of no one clock; more --budget tries fewer SMs"};
    case Reason::active_idle:
      return {"active_idle", true,
              "the board idles higher after work than while it spins: there is no baseline"};
    case Reason::not_positive:
      return {"not_positive", true, "the joint fit gave it less than nothing"};
  }
  return {};
}
constexpr auto kRows = rows_of<Reason, memory_reason_row>();

}  // namespace

std::string_view to_string(Reason reason) { return row_of(kRows, reason).code; }
std::string_view explain(Reason reason) { return row_of(kRows, reason).words; }
bool spoils(Reason reason) { return row_of(kRows, reason).spoils; }
std::optional<Reason> parse_reason(std::string_view code) { return find_code<Reason>(kRows, code); }

}  // namespace truewatt::memory
