#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace truewatt::counters::ncu {

/// Reads the rows of a table out of what a profiler and its program wrote between each other: a
/// record begins at the begin of a line with a quote or a digit, cells may be quoted and hold
/// commas, doubled quotes and a few line breaks. Other lines are passed over. The text must outlive
/// it.
class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text) : rest_(text) {}
  /// The next record's cells, at least one; nothing at the end.
  std::optional<std::vector<std::string>> next();

 private:
  std::string_view rest_;
};

}  // namespace truewatt::counters::ncu
