#include "truewatt/counters/refusal.hpp"

#include <fmt/format.h>

namespace truewatt::counters {

Error counters_refused(std::string_view what_happened) {
  return {
      Errc::permission,
      fmt::format(
          "{}: the driver lets only administrators read GPU performance counters. Run as root or "
          "with CAP_SYS_ADMIN (from driver 565 on CAP_PERFMON is enough; capabilities of a file "
          "do not count), start a container with --cap-add=SYS_ADMIN, or let every user count: "
          "write `options nvidia NVreg_RestrictProfilingToAdminUsers=0` to a file in "
          "/etc/modprobe.d, rebuild the initramfs and reboot; /proc/driver/nvidia/params then "
          "says `RmProfilingAdminOnly: 0` (https://developer.nvidia.com/ERR_NVGPUCTRPERM). "
          "Energy is measured without counters too",
          what_happened)};
}

}  // namespace truewatt::counters
