#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/meters/pmd_frames.hpp"

using namespace truewatt::trace;

/// The first byte says how the rest is cut into pieces, which makes no difference.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = as_text(data + 1, size - 1);
  PmdFrameStream whole;
  std::vector<PmdFrame> frames;
  whole.feed(bytes, frames);
  whole.finish(frames);
  PmdFrameStream cut;
  std::vector<PmdFrame> pieces;
  const std::size_t piece = 1 + data[0] % 64;
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    cut.feed(bytes.substr(at, piece), pieces);
  cut.finish(pieces);
  require(pieces.size() == frames.size(), "pieces give the same frames");
  for (std::size_t i = 0; i < frames.size(); ++i) {
    require(pieces[i].ticks == frames[i].ticks && pieces[i].watts == frames[i].watts,
            "pieces give the same frames");
    require(i == 0 || frames[i].ticks > frames[i - 1].ticks, "time rises");
  }
  require(cut.skipped_bytes() == whole.skipped_bytes(), "pieces skip the same bytes");
  require(kPmdFrameBytes * frames.size() + whole.skipped_bytes() == bytes.size(),
          "every byte is accounted for");
  return 0;
}
