#include "truewatt/trace/formats/nvidia_smi/dotted_thousands.hpp"

#include <algorithm>

namespace truewatt::trace {
namespace {

std::size_t digits_at_begin(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

}  // namespace

void DottedThousands::see(std::string_view cell) {
  constexpr std::size_t kGroup = 3;
  if (!may_be_) return;  // after the first row of an ordinary log
  const std::size_t whole = digits_at_begin(cell);
  if (whole == 0) return;  // no number
  if (whole == cell.size() || cell[whole] != '.') {
    may_be_ = whole <= kGroup;
    has_hundreds_ |= whole == kGroup;
    return;
  }
  may_be_ = whole == 1 && cell[0] != '0' && digits_at_begin(cell.substr(whole + 1)) == kGroup;
  if (example_.empty()) example_ = cell;
}

}  // namespace truewatt::trace
