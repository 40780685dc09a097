#include "truewatt/trace/formats/meters/pmd_frames.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::trace {
namespace {

constexpr double kVoltsPerStep = 0.007568;
constexpr double kAmperesPerStep = 0.0488;
/// A 12 V supply rail at most, or with the meter's rated +-0.1 V nothing where nothing is plugged
/// in.
constexpr double kLowestVolts = -0.1;
constexpr double kHighestVolts = 15.0;
/// Frames follow each other after 580 ticks (921600 baud) to 4600 (115200 baud); the bounds leave
/// room for faster links and for a host that was late. Two voltages in a row, which stand where the
/// ticks seem to be when the stream is read out of step, differ by less.
constexpr std::uint16_t kShortestStep = 200;
constexpr std::uint16_t kLongestStep = 20'000;
constexpr double kUsualStep = 601.0;
/// Out of step, one of 16 frames passes the value test; four in a row also with plausible ticks do
/// not happen in a dump of this size.
constexpr std::size_t kSyncFrames = 4;
/// Bytes behind us that are kept until they are worth moving.
constexpr std::size_t kForgetFrom = 1 << 16;

/// A view of 18 bytes as a frame.
class Frame {
 public:
  explicit Frame(const char* bytes) : bytes_(bytes) {}

  std::uint16_t tick() const { return word(0); }
  RailPowers powers() const {
    RailPowers watts{};
    for (std::size_t rail = 0; rail < kRails; ++rail) watts[rail] = volts(rail) * amperes(rail);
    return watts;
  }
  bool plausible() const {
    for (std::size_t i = 1; i < kPmdFrameBytes / 2; ++i) {
      if ((word(i) & 0xF) != 0) return false;
    }
    for (std::size_t rail = 0; rail < kRails; ++rail) {
      if (volts(rail) < kLowestVolts || volts(rail) > kHighestVolts) return false;
    }
    return true;
  }

 private:
  std::uint16_t word(std::size_t index) const {
    const auto low = static_cast<unsigned char>(bytes_[2 * index]);
    const auto high = static_cast<unsigned char>(bytes_[2 * index + 1]);
    return static_cast<std::uint16_t>(low | (high << 8));
  }
  /// Twelve bits, signed, in the upper part of the word.
  int value(std::size_t index) const { return static_cast<std::int16_t>(word(index)) >> 4; }
  double volts(std::size_t rail) const { return kVoltsPerStep * value(1 + 2 * rail); }
  double amperes(std::size_t rail) const { return kAmperesPerStep * value(2 + 2 * rail); }

  const char* bytes_;
};

Frame frame_at(const std::string& buffer, std::size_t position) {
  return Frame(buffer.data() + position);
}

bool follows(Frame earlier, Frame later) {
  const auto step = static_cast<std::uint16_t>(later.tick() - earlier.tick());
  return later.plausible() && step >= kShortestStep && step <= kLongestStep;
}

}  // namespace

bool PmdFrameStream::has_frame(std::size_t position) const {
  return position + kPmdFrameBytes <= buffer_.size();
}

/// Whether everything is here that the tests below look at.
bool PmdFrameStream::can_decide(std::size_t position) const {
  return ended_ || position + kSyncFrames * kPmdFrameBytes <= buffer_.size();
}

/// A frame counts as whole when the one behind it stands where it should: bytes lost inside a frame
/// shift what follows.
bool PmdFrameStream::in_step(std::size_t position) const {
  const std::size_t behind = position + kPmdFrameBytes;
  return !has_frame(behind) || follows(frame_at(buffer_, position), frame_at(buffer_, behind));
}

bool PmdFrameStream::stream_begins(std::size_t position) const {
  if (!frame_at(buffer_, position).plausible()) return false;
  for (std::size_t i = 1; i < kSyncFrames; ++i) {
    const std::size_t at = position + i * kPmdFrameBytes;
    if (!has_frame(at)) return false;
    if (!follows(frame_at(buffer_, at - kPmdFrameBytes), frame_at(buffer_, at))) return false;
  }
  return true;
}

/// Moves to the next stretch of frames, to the end when there is none; false while that cannot be
/// told. Behind skipped bytes its first frame is given up: it may have a byte of the broken one.
bool PmdFrameStream::seek() {
  for (; can_decide(position_) && has_frame(position_) && !stream_begins(position_); ++position_) {
    ++passed_;
  }
  if (!can_decide(position_)) return false;
  if (passed_ > 0) {
    position_ += kPmdFrameBytes;
    passed_ += kPmdFrameBytes;
  }
  const bool found = has_frame(position_);
  if (!found) passed_ = passed_ + buffer_.size() - position_;
  skipped_ += passed_;
  if (passed_ > 0) ++breaks_;
  if (found) resume();
  position_ = found ? position_ : buffer_.size();
  passed_ = 0;
  state_ = State::reading;
  return found;
}

/// Counts the ticks that the skipped bytes took.
void PmdFrameStream::resume() {
  const std::uint16_t tick = frame_at(buffer_, position_).tick();
  if (first_) {
    const std::size_t frames = passed_ / kPmdFrameBytes;
    ticks_ = std::llround(kUsualStep * static_cast<double>(frames));
  } else {
    const std::int64_t step = static_cast<std::uint16_t>(tick - last_tick_);
    const double usual = counted_steps_ > 0 ? static_cast<double>(counted_ticks_) /
                                                  static_cast<double>(counted_steps_)
                                            : kUsualStep;
    const double expected =
        usual * static_cast<double>(passed_ + kPmdFrameBytes) / static_cast<double>(kPmdFrameBytes);
    const double turns =
        std::round((expected - static_cast<double>(step)) / static_cast<double>(kPmdWrap));
    const double fewest = step < kShortestStep ? 1.0 : 0.0;
    ticks_ += step + kPmdWrap * static_cast<std::int64_t>(std::max(turns, fewest));
  }
  first_ = false;
  last_tick_ = tick;
}

/// Moves to the frame behind the last one; false while it cannot be told, or there is none.
bool PmdFrameStream::step() {
  const std::size_t at = position_ + kPmdFrameBytes;
  if (!can_decide(at)) return false;
  if (!has_frame(at) || !follows(frame_at(buffer_, position_), frame_at(buffer_, at)) ||
      !in_step(at)) {
    state_ = State::seeking;
    position_ = at;
    return seek();
  }
  const std::uint16_t tick = frame_at(buffer_, at).tick();
  const auto ticks = static_cast<std::uint16_t>(tick - last_tick_);
  ticks_ += ticks;
  counted_ticks_ += ticks;
  ++counted_steps_;
  last_tick_ = tick;
  position_ = at;
  return true;
}

void PmdFrameStream::advance(std::vector<PmdFrame>& frames) {
  while (state_ == State::seeking ? seek() : step()) {
    frames.push_back({ticks_, frame_at(buffer_, position_).powers()});
  }
}

void PmdFrameStream::forget_what_was_read() {
  if (position_ < kForgetFrom) return;
  buffer_.erase(0, position_);
  position_ = 0;
}

void PmdFrameStream::feed(std::string_view bytes, std::vector<PmdFrame>& frames) {
  if (ended_) return;
  buffer_ += bytes;
  advance(frames);
  forget_what_was_read();
}

void PmdFrameStream::finish(std::vector<PmdFrame>& frames) {
  if (ended_) return;
  ended_ = true;
  advance(frames);
}

}  // namespace truewatt::trace
