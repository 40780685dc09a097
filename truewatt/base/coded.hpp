#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace truewatt {

/// A code that was read from a file: an enumerator, nothing, or the word of a newer program, which
/// is kept as it is and equals no enumerator. `to_string` gives an enumerator's code.
template <class Enum>
class Coded {
 public:
  Coded() = default;
  Coded(Enum known) : known_(known) {}
  /// `parse` finds the enumerator of a code. "" is nothing.
  static Coded read(std::string_view code, std::optional<Enum> (*parse)(std::string_view)) {
    Coded coded;
    coded.known_ = parse(code);
    if (!coded.known_) coded.foreign_ = code;
    return coded;
  }

  bool empty() const { return !known_ && foreign_.empty(); }
  /// Absent for nothing and for a foreign word.
  const std::optional<Enum>& known() const { return known_; }
  /// "" for nothing.
  std::string code() const { return known_ ? std::string(to_string(*known_)) : foreign_; }

  friend bool operator==(const Coded&, const Coded&) = default;

 private:
  std::optional<Enum> known_;
  std::string foreign_;
};

}  // namespace truewatt
