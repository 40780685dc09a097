#include "truewatt/trace/formats/rows/row_tally.hpp"

#include <fmt/format.h>

namespace truewatt::trace {

void RowTally::bad(std::size_t line, const std::string& what) {
  ++bad_rows_;
  if (bad_.size() < kWarningsKept) bad_.push_back(fmt::format("line {}: {}", line, what));
}

std::vector<std::string> RowTally::warnings() const {
  std::vector<std::string> all = warnings_;
  all.insert(all.end(), bad_.begin(), bad_.end());
  if (bad_rows_ > bad_.size()) {
    all.push_back(fmt::format("{} more rows could not be read whole", bad_rows_ - bad_.size()));
  }
  return all;
}

}  // namespace truewatt::trace
