#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// The fuzzer's bytes as text.
inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the run, so that the fuzzer keeps the input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

/// What every consumer of a recording relies on.
inline void require_sound(const Recording& recording) {
  for (const Trace& trace : recording.traces) {
    require(!trace.samples.empty(), "a trace has samples");
    require(trace.begin <= trace.end, "a trace ends behind its begin");
    HostTime last = trace.samples.front().seen;
    for (const Sample& sample : trace.samples) {
      require(sample.before <= sample.seen, "brackets are in order");
      require(sample.seen >= last, "samples are in order of seen");
      require(sample.seen <= trace.end, "samples lie inside their trace");
      require(std::isfinite(sample.value), "values are finite");
      last = sample.seen;
    }
    for (const Gap& gap : trace.gaps) require(gap.begin <= gap.end, "gaps are in order");
  }
  for (const Window& window : recording.windows) {
    require(window.begin < window.end, "windows have a length");
  }
}

}  // namespace truewatt::trace
