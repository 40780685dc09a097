#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "truewatt/base/enum_table.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/base/units.hpp"

namespace truewatt::energy {

/// How others get joules out of a power source's readings; readers.hpp says how in detail, and
/// good_practice.hpp how `yang` does, who needs many executions of one load.
/// A new one is an enumerator before `yang` and its row in reader.cpp, without which nothing
/// compiles. The codes are stable: JSON and run files have them.
enum class Reader { naive, sma, papi, mtsm, k20power, yang, last_ = yang };
/// Those who read one window of whatever runs: all but the last.
inline constexpr auto kReaders = [] {
  std::array<Reader, kEnumerators<Reader> - 1> readers{};
  for (std::size_t i = 0; i < readers.size(); ++i) readers[i] = static_cast<Reader>(i);
  return readers;
}();
std::string_view to_string(Reader reader);
/// For people: what it does with the readings, in a few words.
std::string_view explain(Reader reader);
/// One of kReaders.
std::optional<Reader> parse_reader(std::string_view name);

/// What a reader makes of the readings of a window.
struct ReaderEnergy {
  Reader reader = Reader::naive;
  std::optional<SourceId> source;  ///< whose readings it took; absent: no GPU power was recorded
  std::optional<Joules> energy;    ///< absent: the readings do not hold what it needs
  Seconds over{0};                 ///< the time that it takes this energy to be of
};

}  // namespace truewatt::energy
