#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::trace {

/// Bytes of a frame of a PMD-USB's continuous stream with 2-byte time stamps and all eight
/// channels: a 16-bit tick and eight 12-bit values, voltage and current of four rails,
/// little-endian.
inline constexpr std::size_t kPmdFrameBytes = 18;
/// The tick turns over after so many: every 22 ms.
inline constexpr std::int64_t kPmdWrap = 65'536;

/// A frame of the stream.
struct PmdFrame {
  std::int64_t ticks = 0;  ///< since the stream's first byte, turns counted
  RailPowers watts{};      ///< signed
};

/// Finds the frames in a stream of bytes that arrives in pieces, and counts their ticks. Nothing
/// marks where a frame begins: frames are told by plausibility (layout of the values, voltages,
/// distance of the ticks). Where bytes were lost or garbled the frames at the break are given up
/// and the stream is found again; the ticks then tell the time but for whole turns, which the
/// skipped bytes tell. However the bytes are cut into pieces, the frames are the same. Not
/// thread-safe.
class PmdFrameStream {
 public:
  /// Appends the frames that are certain by now, which takes up to four more behind each.
  void feed(std::string_view bytes, std::vector<PmdFrame>& frames);
  /// The stream has ended: appends the rest.
  void finish(std::vector<PmdFrame>& frames);

  /// Bytes so far that belong to no whole frame, and in how many places.
  std::size_t skipped_bytes() const { return skipped_; }
  std::size_t breaks() const { return breaks_; }

 private:
  enum class State { seeking, reading };

  bool has_frame(std::size_t position) const;
  bool in_step(std::size_t position) const;
  bool stream_begins(std::size_t position) const;
  bool can_decide(std::size_t position) const;
  void advance(std::vector<PmdFrame>& frames);
  bool seek();
  void resume();
  bool step();
  void forget_what_was_read();

  std::string buffer_;
  std::size_t position_ = 0;  ///< in the buffer: of the frame last given, or being looked for
  std::size_t passed_ = 0;    ///< bytes passed over while looking
  State state_ = State::seeking;
  bool ended_ = false;
  bool first_ = true;  ///< no frame was found yet
  std::uint16_t last_tick_ = 0;
  std::int64_t ticks_ = 0;
  std::int64_t counted_ticks_ = 0;  ///< over `counted_steps_` steps without a break
  std::int64_t counted_steps_ = 0;
  std::size_t skipped_ = 0;
  std::size_t breaks_ = 0;
};

}  // namespace truewatt::trace
