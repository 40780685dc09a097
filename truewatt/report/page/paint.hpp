#pragma once

#include <string>
#include <string_view>

namespace truewatt::report {

/// Text in ANSI colours, or as it is when colours were not asked for. Paint after padding: the
/// codes take no columns.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(std::string_view text) const { return coded("1", text); }
  std::string dim(std::string_view text) const { return coded("2", text); }
  std::string good(std::string_view text) const { return coded("32", text); }
  std::string doubtful(std::string_view text) const { return coded("33", text); }
  std::string bad(std::string_view text) const { return coded("1;31", text); }

 private:
  std::string coded(std::string_view code, std::string_view text) const {
    if (!on_) return std::string(text);
    return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
  }

  bool on_;
};

}  // namespace truewatt::report
