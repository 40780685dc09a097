#include "truewatt/energy/estimate/idle_rung.hpp"

#include <algorithm>
#include <vector>

namespace truewatt::energy {
namespace {

/// The driver's idle states begin here (NVML: P0 is the fastest, P15 the slowest).
constexpr int kIdleState = 8;
/// A context takes more memory than this, what else changes less.
constexpr std::uint64_t kContextBytes = 64ULL << 20;
/// A clock of this share of the highest is up.
constexpr double kClockUp = 0.8;

bool uses_as_much(const HealthSample& a, const HealthSample& b) {
  if (!a.memory_used_bytes || !b.memory_used_bytes) return false;
  const auto [less, more] = std::minmax(*a.memory_used_bytes, *b.memory_used_bytes);
  return more - less <= kContextBytes;
}

/// The recording's notes, to compare one with.
class Notes {
 public:
  explicit Notes(const std::vector<HealthSample>& all) : all_(all) {
    for (const HealthSample& one : all)
      highest_mhz_ = std::max(highest_mhz_, one.sm_clock_mhz.value_or(0));
  }

  std::optional<IdleRung> rung_of(const HealthSample& note) const {
    if (note.p_state && *note.p_state >= kIdleState) return IdleRung::asleep;
    const bool has_slower =
        any([&](const HealthSample& other) { return uses_as_much(note, other) && is_down(other); });
    if (is_up(note) && has_slower) return IdleRung::active;
    if (any([&](const HealthSample& other) { return uses_more(note, other); })) {
      return IdleRung::context;
    }
    if (any([&](const HealthSample& other) { return uses_more(other, note); })) {
      return IdleRung::bare;
    }
    return std::nullopt;
  }

 private:
  template <class Wanted>
  bool any(Wanted wanted) const {
    return std::any_of(all_.begin(), all_.end(), wanted);
  }
  static bool uses_more(const HealthSample& a, const HealthSample& b) {
    return a.memory_used_bytes && b.memory_used_bytes &&
           *a.memory_used_bytes > *b.memory_used_bytes + kContextBytes;
  }
  bool is_up(const HealthSample& note) const {
    return note.sm_clock_mhz && *note.sm_clock_mhz >= kClockUp * highest_mhz_;
  }
  bool is_down(const HealthSample& note) const {
    return note.sm_clock_mhz && *note.sm_clock_mhz < kClockUp * highest_mhz_;
  }

  const std::vector<HealthSample>& all_;
  double highest_mhz_ = 0.0;
};

}  // namespace

std::optional<IdleRung> rung_of(const Recording& recording, HostTime begin, HostTime end) {
  const Notes notes(recording.health);
  std::optional<IdleRung> found;
  for (const HealthSample& note : recording.health) {
    if (note.time < begin || note.time > end) continue;
    const auto rung = notes.rung_of(note);
    if (!rung || (found && *found != *rung)) return std::nullopt;
    found = rung;
  }
  return found;
}

}  // namespace truewatt::energy
