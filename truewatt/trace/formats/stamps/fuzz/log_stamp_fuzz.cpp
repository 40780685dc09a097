#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/stamps/log_stamp.hpp"

using namespace truewatt::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto stamp = parse_log_stamp(as_text(data, size));
  if (!stamp) return 0;
  const auto year = std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<truewatt::Nanoseconds>(stamp->time.time_since_epoch())));
  require(year.year() >= std::chrono::year(1969) && year.year() <= std::chrono::year(2100), "year");
  return 0;
}
