#include "truewatt/trace/pmd_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/trace/event_stamps.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

constexpr std::size_t kFrameBytes = 18;
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
constexpr std::int64_t kWrap = 65'536;

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
    for (std::size_t i = 1; i < kFrameBytes / 2; ++i) {
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

std::uint16_t ticks_between(Frame earlier, Frame later) {
  return static_cast<std::uint16_t>(later.tick() - earlier.tick());
}

bool follows(Frame earlier, Frame later) {
  const std::uint16_t step = ticks_between(earlier, later);
  return later.plausible() && step >= kShortestStep && step <= kLongestStep;
}

/// Finds the frames in a stream of bytes and counts their ticks.
class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : bytes_(bytes) { synchronise(0); }

  /// The frame to be read, or nothing at the end.
  std::optional<Frame> frame() const {
    if (!has_frame(position_)) return std::nullopt;
    return frame_at(position_);
  }
  /// Ticks from the first byte's frame to this one.
  std::int64_t ticks() const { return ticks_; }
  void next();

  std::size_t skipped_bytes() const { return skipped_; }
  std::size_t breaks() const { return breaks_; }

 private:
  bool has_frame(std::size_t position) const { return position + kFrameBytes <= bytes_.size(); }
  Frame frame_at(std::size_t position) const { return Frame(bytes_.data() + position); }
  bool in_step(std::size_t position) const;
  bool stream_begins(std::size_t position) const;
  void synchronise(std::size_t from);
  void resume_behind_break(std::uint16_t last_tick, std::size_t begin);

  std::string_view bytes_;
  std::size_t position_ = 0;
  std::int64_t ticks_ = 0;
  std::int64_t counted_ticks_ = 0;  ///< over `counted_steps_` steps without a break
  std::int64_t counted_steps_ = 0;
  std::size_t skipped_ = 0;
  std::size_t breaks_ = 0;
};

/// A frame counts as whole when the one behind it stands where it should: bytes lost inside a frame
/// shift what follows.
bool FrameReader::in_step(std::size_t position) const {
  return !has_frame(position + kFrameBytes) ||
         follows(frame_at(position), frame_at(position + kFrameBytes));
}

bool FrameReader::stream_begins(std::size_t position) const {
  if (!frame_at(position).plausible()) return false;
  for (std::size_t i = 1; i < kSyncFrames; ++i) {
    const std::size_t at = position + i * kFrameBytes;
    if (!has_frame(at) || !follows(frame_at(at - kFrameBytes), frame_at(at))) return false;
  }
  return true;
}

/// Moves to the next stretch of frames at or behind `from`; to the end when there is none. Behind
/// skipped bytes its first frame is given up: it may have a byte of the broken one.
void FrameReader::synchronise(std::size_t from) {
  position_ = from;
  while (has_frame(position_) && !stream_begins(position_)) ++position_;
  if (position_ > from) position_ += kFrameBytes;
  if (!has_frame(position_)) position_ = bytes_.size();
  const std::size_t skipped = position_ - from;
  skipped_ += skipped;
  if (skipped > 0) ++breaks_;
  const std::size_t frames = skipped / kFrameBytes;
  if (from == 0) ticks_ = std::llround(kUsualStep * static_cast<double>(frames));
}

void FrameReader::next() {
  const Frame last = frame_at(position_);
  const std::size_t at = position_ + kFrameBytes;
  if (has_frame(at) && follows(last, frame_at(at)) && in_step(at)) {
    const std::uint16_t step = ticks_between(last, frame_at(at));
    ticks_ += step;
    counted_ticks_ += step;
    ++counted_steps_;
    position_ = at;
    return;
  }
  resume_behind_break(last.tick(), at);
}

/// The ticks tell the time across a break but for whole turns, which the skipped bytes tell.
void FrameReader::resume_behind_break(std::uint16_t last_tick, std::size_t begin) {
  synchronise(begin);
  if (!has_frame(position_)) return;
  const std::int64_t step = static_cast<std::uint16_t>(frame_at(position_).tick() - last_tick);
  const double usual =
      counted_steps_ > 0 ? static_cast<double>(counted_ticks_) / static_cast<double>(counted_steps_)
                         : kUsualStep;
  const double expected = usual * static_cast<double>(position_ - begin + kFrameBytes) /
                          static_cast<double>(kFrameBytes);
  const double turns = std::round((expected - static_cast<double>(step)) / kWrap);
  const double fewest = step < kShortestStep ? 1.0 : 0.0;
  ticks_ += step + kWrap * static_cast<std::int64_t>(std::max(turns, fewest));
}

double sum_of(const RailPowers& watts, const std::array<bool, kRails>& summed) {
  double sum = 0.0;
  for (std::size_t rail = 0; rail < kRails; ++rail) sum += summed[rail] ? watts[rail] : 0.0;
  return sum;
}

Result<void> check(const PmdDumpOptions& options) {
  if (!(options.ticks_per_ms >= 1.0 && options.ticks_per_ms <= 1e6)) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("a tick rate of {} per ms is none; PMD-USB meters run at about "
                                  "{}",
                                  options.ticks_per_ms, kPmdTicksPerMs));
  }
  const auto& summed = options.summed;
  if (std::none_of(summed.begin(), summed.end(), [](bool used) { return used; })) {
    return Unexpected(Errc::invalid_argument, "no rail of the meter is to be summed; choose one");
  }
  return {};
}

}  // namespace

Result<MeterTrace> parse_pmd_dump(std::string_view bytes, const PmdDumpOptions& options) {
  const auto checked = check(options);
  if (!checked) return Unexpected(checked.error());
  const HostTime first(options.start.time_since_epoch() - options.lead);
  MeterTrace meter;
  meter.meter = "PMD-USB";
  meter.ticks_per_ms = options.ticks_per_ms;
  meter.samples.reserve(bytes.size() / kFrameBytes);
  meter.rails.reserve(bytes.size() / kFrameBytes);
  FrameReader reader(bytes);
  for (auto frame = reader.frame(); frame; reader.next(), frame = reader.frame()) {
    const double ms = static_cast<double>(reader.ticks()) / options.ticks_per_ms;
    const RailPowers watts = frame->powers();
    meter.samples.push_back(
        {first + to_nanoseconds(Seconds(1e-3 * ms)), sum_of(watts, options.summed)});
    meter.rails.push_back(watts);
  }
  if (meter.samples.empty()) {
    return Unexpected(Errc::parse,
                      fmt::format("no stream of PMD-USB frames in these {} bytes; record with "
                                  "2-byte time stamps and all eight channels",
                                  bytes.size()));
  }
  meter.skipped_bytes = reader.skipped_bytes();
  if (meter.skipped_bytes > 0) {
    meter.warnings.push_back(
        fmt::format("{} of {} bytes belong to no whole meter frame, in {} "
                    "places",
                    meter.skipped_bytes, bytes.size(), reader.breaks()));
  }
  return meter;
}

Result<DriverTime> parse_pmd_start(std::string_view text) {
  const auto stamp = parse_event_stamp(text);
  if (stamp) return *stamp;
  return Unexpected(Errc::parse, fmt::format("the meter's start stamp is {}; expected whole "
                                             "microseconds since the epoch",
                                             quote(text)));
}

bool looks_like_pmd_dump(std::string_view start) {
  const FrameReader reader(start);
  return reader.frame().has_value() && reader.skipped_bytes() < kFrameBytes;
}

}  // namespace truewatt::trace
