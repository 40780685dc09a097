#pragma once

#include <string>
#include <string_view>

namespace truewatt::trace {

/// Looks at the cells of a column of watts for dots that separate thousands: whole numbers of at
/// most three digits, hundreds among them, beside `1.300`. Where decimals are written, they are of
/// numbers above 10 too, or of more or fewer than three digits.
class DottedThousands {
 public:
  void see(std::string_view cell);
  /// The first such cell; "" where dots are decimal points, as a single other cell shows.
  std::string_view example() const {
    return may_be_ && has_hundreds_ ? std::string_view(example_) : std::string_view();
  }

 private:
  bool may_be_ = true;
  bool has_hundreds_ = false;
  std::string example_;
};

}  // namespace truewatt::trace
