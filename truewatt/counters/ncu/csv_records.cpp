#include "truewatt/counters/ncu/csv_records.hpp"

#include <algorithm>

namespace truewatt::counters::ncu {
namespace {

/// A quote that is not closed by then belongs to a program's own line. Kernel names are the longest
/// cells: names of templates take kilobytes.
constexpr std::size_t kLongestRecord = std::size_t{64} << 10U;

/// One record, from its first character on.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text.substr(0, kLongestRecord)) {}

  /// Nothing where a quote is not closed or text follows one.
  std::optional<std::vector<std::string>> read() {
    while (true) {
      if (!read_cell()) return std::nullopt;
      if (at_ >= text_.size() || text_[at_] == '\n') return std::move(cells_);
      ++at_;  // the comma
    }
  }

  std::size_t consumed() const { return at_; }

 private:
  bool at_end_of_cell() const {
    return at_ >= text_.size() || text_[at_] == ',' || text_[at_] == '\n';
  }

  bool read_cell() {
    std::string cell;
    if (at_ < text_.size() && text_[at_] == '"') {
      if (!read_quoted(cell)) return false;
    } else {
      while (!at_end_of_cell()) cell += text_[at_++];
    }
    if (!at_end_of_cell() && text_[at_] == '\r') ++at_;
    if (!cell.empty() && cell.back() == '\r') cell.pop_back();
    cells_.push_back(std::move(cell));
    return at_end_of_cell();
  }

  bool read_quoted(std::string& cell) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[++at_];
      } else {
        ++at_;
        return true;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> cells_;
};

bool begins_record(std::string_view line) {
  return !line.empty() && (line.front() == '"' || (line.front() >= '0' && line.front() <= '9'));
}

}  // namespace

std::optional<std::vector<std::string>> CsvRecords::next() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  while (!rest_.empty()) {
    std::optional<std::vector<std::string>> cells;
    std::size_t length = std::min(rest_.find('\n'), rest_.size());
    if (begins_record(rest_)) {
      Reader reader(rest_);
      cells = reader.read();
      if (cells) length = reader.consumed();
    }
    rest_.remove_prefix(std::min(length + 1, rest_.size()));
    if (cells) return cells;
  }
  return std::nullopt;
}

}  // namespace truewatt::counters::ncu
