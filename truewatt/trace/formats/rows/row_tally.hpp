#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace truewatt::trace {

/// Counts the rows of a table that could and could not be read, and keeps a sentence about each of
/// the first few bad ones: a long log with a fault in every row must not become a longer log.
class RowTally {
 public:
  static constexpr std::size_t kWarningsKept = 8;

  void good() { ++rows_; }
  void bad(std::size_t line, const std::string& what);
  /// A remark that is about no single row.
  void note(std::string text) { warnings_.push_back(std::move(text)); }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t bad_rows() const { return bad_rows_; }
  /// `line 12: ...` for the first bad rows, then how many more there were.
  std::vector<std::string> warnings() const;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t bad_rows_ = 0;
  std::vector<std::string> warnings_;
  std::vector<std::string> bad_;
};

}  // namespace truewatt::trace
