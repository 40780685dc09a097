#pragma once

#include <vector>

#include "truewatt/energy/former/source_view.hpp"

namespace truewatt::energy {

/// A source that remembers longer than this sees too little of the idle beside a load.
inline constexpr double kShortMemory = 0.4;    // s
inline constexpr double kPeriodsOfIdle = 5.0;  ///< update periods that idle lasts, to be seen

/// Whether the source shows `idle_s` of idle for itself.
bool sees_idle(const SourceView& view, double idle_s);

enum class IdleSide { before, after };

/// How far from the load, whose edge on that side is at `edge`, idle is as steady as it is within
/// `within_s` of it, s: as far as every source that sees half a second of idle shows one level, at
/// least `within_s`, at most four seconds (docs/method.md, section 5). A context that begins or
/// ends, or another load, ends it.
double idle_reach(const std::vector<SourceView>& views, IdleSide side, double edge,
                  double within_s);

}  // namespace truewatt::energy
