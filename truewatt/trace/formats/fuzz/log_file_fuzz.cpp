#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/log_file.hpp"

using namespace truewatt::trace;

// Whatever the format: what is recognised is read or refused, and shifted it stays sound.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  (void)looks_like_log_file(text);
  auto file = parse_log_file(text);
  if (!file) return 0;
  require(!file->log.recordings.empty(), "a log has recordings");
  move_to_utc(file->log, std::chrono::minutes(-330));
  for (const auto& recording : file->log.recordings) require_sound(recording);
  return 0;
}
