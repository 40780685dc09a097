#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "truewatt/energy/course/power_smoother.hpp"

// What the smoother's passes share.
namespace truewatt::energy {

inline bool opens(const StepEnd& end) { return end.action == StepAction::open; }

/// A bit a state; those beyond the last one share it, and always count as awaited.
inline constexpr std::size_t kLastBit = 31;
inline std::uint32_t bit_of(std::size_t state) {
  return std::uint32_t{1} << std::min(state, kLastBit);
}

inline double scale_of(const StepEnd& end) {
  return end.action == StepAction::read ? end.scale : 1.0;
}

/// Calls `use` with `n`, as a constant where it is small: the compiler unrolls loops over a state.
template <class Use>
auto with_size(std::size_t n, const Use& use) {
  switch (n) {
    case 2:
      return use(std::integral_constant<std::size_t, 2>());
    case 3:
      return use(std::integral_constant<std::size_t, 3>());
    case 4:
      return use(std::integral_constant<std::size_t, 4>());
    case 5:
      return use(std::integral_constant<std::size_t, 5>());
    case 6:
      return use(std::integral_constant<std::size_t, 6>());
    default:
      return use(n);
  }
}

}  // namespace truewatt::energy
