#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "truewatt/trace/formats/meters/pmd_frames.hpp"
#include "truewatt/trace/formats/read_file.hpp"

namespace truewatt::trace {
namespace {

/// A second and a half of a recorded meter.
std::string recorded() {
  const std::filesystem::path data = TRUEWATT_TEST_DATA;
  return read_file(data / "sc24" / "step_a100" / "PMD_data.bin").value().substr(0, 130'000);
}

struct Parsed {
  std::vector<PmdFrame> frames;
  std::size_t skipped = 0;
};

Parsed parse(std::string_view bytes, const std::vector<std::size_t>& pieces = {}) {
  PmdFrameStream stream;
  Parsed parsed;
  std::size_t at = 0;
  for (const std::size_t piece : pieces) {
    stream.feed(bytes.substr(at, piece), parsed.frames);
    at += std::min(piece, bytes.size() - at);
  }
  stream.feed(bytes.substr(at), parsed.frames);
  stream.finish(parsed.frames);
  parsed.skipped = stream.skipped_bytes();
  return parsed;
}

void expect_same(const Parsed& a, const Parsed& b) {
  ASSERT_EQ(a.frames.size(), b.frames.size());
  EXPECT_EQ(a.skipped, b.skipped);
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    ASSERT_EQ(a.frames[i].ticks, b.frames[i].ticks) << i;
    ASSERT_EQ(a.frames[i].watts, b.frames[i].watts) << i;
  }
}

std::vector<std::size_t> random_pieces(std::mt19937& random, std::size_t size) {
  std::vector<std::size_t> pieces;
  std::uniform_int_distribution<std::size_t> length(0, 300);
  for (std::size_t sum = 0; sum < size; sum += pieces.back()) pieces.push_back(length(random));
  return pieces;
}

TEST(PmdFrameStream, HoweverTheBytesArriveTheFramesAreTheSame) {
  const std::string bytes = recorded();
  const Parsed whole = parse(bytes);
  EXPECT_GT(whole.frames.size(), 7000U);
  std::mt19937 random(1);
  for (int i = 0; i < 5; ++i) expect_same(parse(bytes, random_pieces(random, bytes.size())), whole);
}

TEST(PmdFrameStream, CutAndGarbledBytesCostTheirFramesAndNoOther) {
  const std::string clean = recorded();
  const Parsed truth = parse(clean);
  std::mt19937 random(2);
  std::uniform_int_distribution<std::size_t> place(0, clean.size() - 200);
  for (int i = 0; i < 20; ++i) {
    std::string bytes = clean;
    bytes.erase(place(random), 1 + random() % 100);
    for (std::size_t at = place(random), k = 0; k < 50; ++k) bytes[at + k] = '\x5A';
    const Parsed parsed = parse(bytes, random_pieces(random, bytes.size()));
    // At most 7 frames are lost to the cut and 4 to the garbage, and three beside each.
    EXPECT_GE(parsed.frames.size() + 17, truth.frames.size()) << i;
    for (const PmdFrame& frame : parsed.frames) {
      const auto same =
          std::lower_bound(truth.frames.begin(), truth.frames.end(), frame,
                           [](const PmdFrame& a, const PmdFrame& b) { return a.ticks < b.ticks; });
      ASSERT_NE(same, truth.frames.end()) << i;
      ASSERT_EQ(same->ticks, frame.ticks) << i;
      ASSERT_EQ(same->watts, frame.watts) << i;
    }
  }
}

TEST(PmdFrameStream, FramesComeOutWhileTheStreamStillRuns) {
  const std::string bytes = recorded();
  PmdFrameStream stream;
  std::vector<PmdFrame> frames;
  stream.feed(std::string_view(bytes).substr(0, 100 * kPmdFrameBytes), frames);
  EXPECT_GE(frames.size(), 90U);
  EXPECT_LT(frames.size(), 100U);
}

}  // namespace
}  // namespace truewatt::trace
