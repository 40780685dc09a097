#include "truewatt/nvml_sim/background_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/base/parse.hpp"

namespace truewatt::nvml_sim {
namespace {

/// A constant load is one step that outlives every process (30 years).
constexpr double kForever = 1e9;
/// The first stretch of a square wave, and the least that is always played ahead. Each stretch is
/// as long as all before it, so that their number stays small.
constexpr double kFirstStretch = 60.0;
constexpr double kAhead = 30.0;
/// Contexts of neighbouring stretches overlap, so that the board never falls asleep between them.
constexpr double kContextMargin = kIdleMargin.count();

Unexpected bad_entry(std::string_view entry) {
  return {
      Errc::invalid_argument,
      fmt::format("load '{}': expected level=0..1, period=SECONDS (at least 0.001) or duty=0..1, "
                  "separated by commas",
                  entry)};
}

bool set(BackgroundLoad& load, std::string_view key, double value) {
  if (key == "level" && value >= 0 && value <= 1) {
    load.level = value;
  } else if (key == "period" && value >= 0.001) {
    load.period = Seconds(value);
  } else if (key == "duty" && value > 0 && value < 1) {
    load.duty = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<BackgroundLoad> parse_background_load(std::string_view text) {
  BackgroundLoad load;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto entry = text.substr(begin, end - begin);
    const auto equals = std::min(entry.find('='), entry.size());
    const auto value = parse_number(entry.substr(std::min(equals + 1, entry.size())));
    if (!value || !set(load, entry.substr(0, equals), *value)) return bad_entry(entry);
    begin = end + 1;
  }
  return load;
}

void BackgroundPlayer::play_ahead(simgpu::SimulatedGpu& gpu, double t) {
  if (!load_ || played_until_ > t + kAhead) return;
  simgpu::Play play{.steps = {}, .end = 0.0, .margin = kContextMargin};
  const double period = load_->period.count();
  if (period == 0.0) {
    play.steps = {{0.0, load_->level}};
    play.end = kForever;
  } else {
    const double from = played_until_;  // in the past when nobody asked for long
    const double length = std::max({kFirstStretch, from, t + 2 * kAhead - from});
    const auto periods = static_cast<long>(std::ceil(length / period));
    for (long i = 0; i < periods; ++i) {
      const double on = from + static_cast<double>(i) * period;
      play.steps.push_back({on, load_->level});
      play.steps.push_back({on + load_->duty * period, 0.0});
    }
    play.end = from + static_cast<double>(periods) * period;
  }
  played_until_ = play.end;
  gpu.play(std::move(play));
}

}  // namespace truewatt::nvml_sim
