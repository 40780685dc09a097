#pragma once

#include <fmt/format.h>

#include <utility>

#include "truewatt/base/result.hpp"
#include "truewatt/capture/within.hpp"
#include "truewatt/devices/device_set.hpp"

namespace truewatt::devices {

/// What `open` returns, or timed_out where the driver has not answered after kOpenPatience.
template <class Value, class Open>
Result<Value> in_time(Open open) {
  auto opened = capture::within(kOpenPatience, std::move(open));
  if (opened) return std::move(*opened);
  return Unexpected(
      Errc::timed_out,
      fmt::format(
          "the NVIDIA driver has not answered for {:.0f} s (nvmlInit, or the first questions "
          "to its GPUs); `dmesg` may show an Xid; where it only loads slowly, "
          "nvidia-persistenced keeps it loaded",
          Seconds(kOpenPatience).count()));
}

}  // namespace truewatt::devices
