#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace truewatt::sensor {

/// What a PMD2 or PMD2X answers, for tests, as far as ElmorLabs' host software tells.
class FakePmd2 {
 public:
  bool extended = false;   ///< a PMD2X
  std::size_t flags = 10;  ///< over-current flags behind the totals
  double volts = 12.0;     ///< of every plug of 12 V
  std::array<double, 10> watts{20.0, 5.0, 0.0, 3.0, 150.0, 0.0, 0.0, 60.0, 40.0, 0.0};
  std::vector<std::string> heard;  ///< commands, in order

  std::string greeting() const {
    using namespace std::string_literals;
    return extended ? "ElmorLabs PMD2X\0"s : "ElmorLabs PMD2\0"s;
  }
  std::string answer(std::string_view bytes) {
    using namespace std::string_view_literals;
    heard.emplace_back(bytes);
    if (bytes == "\x00"sv) return greeting();
    if (bytes == "\x01"sv) return std::string("\xEE") + (extended ? "\x17" : "\x15") + "\x02";
    if (bytes == "\x04"sv) return values();
    return {};
  }
  std::string values() const {
    std::string bytes;
    append(bytes, 3300, 2);
    append(bytes, 35, 2);
    if (extended) append(bytes, 0, 4);
    for (std::size_t plug = 0; plug < watts.size(); ++plug) {
      append_sensor(bytes, watts[plug], plug);
    }
    for (int wire = 0; extended && wire < 6; ++wire) append_sensor(bytes, watts[4] / 6, 4);
    append(bytes, 0, 4);
    append(bytes, 0, 4);
    return bytes + std::string(flags, '\0');
  }

 private:
  static void append(std::string& bytes, std::int64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  }
  void append_sensor(std::string& bytes, double power, std::size_t plug) const {
    const double voltage = plug == 1 || plug == 2 ? 5.0 : plug == 3 ? 3.3 : volts;
    append(bytes, static_cast<std::int64_t>(1e3 * voltage), 2);
    append(bytes, static_cast<std::int64_t>(1e3 * power / voltage), 4);
    append(bytes, static_cast<std::int64_t>(1e3 * power), 4);
  }
};

}  // namespace truewatt::sensor
