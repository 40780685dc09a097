#pragma once

#include <string>
#include <string_view>

namespace truewatt::sensor {

/// What a PMD-USB answers, for tests: it takes commands and gives bytes; a stream is its owner's to
/// play.
class FakePmd {
 public:
  int firmware = 5;
  int averaging = 0;
  bool streaming = false;
  int baud = 115'200;

  /// The answer to what the host has written at once.
  std::string answer(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (bytes == "\x00"sv) return "ElmorLabs PMD-USB";
    if (bytes == "\x01"sv) return std::string("\xEE\x0A") + static_cast<char>(firmware);
    if (bytes == "\x04"sv) return config();
    if (bytes.starts_with('\x07')) streaming = bytes.size() == 4 && bytes[1] == '\x01';
    if (bytes.starts_with('\x08') && bytes.size() == 17) {
      baud = 0;
      for (int i = 4; i >= 1; --i) {
        baud = 256 * baud + static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
      }
    }
    return {};
  }

 private:
  std::string config() const {
    std::string bytes(firmware < 6 ? 26 : 34, '\0');
    bytes[22] = static_cast<char>(averaging);
    return bytes;
  }
};

}  // namespace truewatt::sensor
