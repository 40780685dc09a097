#include "truewatt/memory/counted_elsewhere.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "truewatt/memory/plan.hpp"
#include "truewatt/memory/products.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::memory {

Result<void> launch_what_is_counted(devices::DeviceSet& set,
                                    const devices::Environment& environment,
                                    counters::Counters& marks, const CountedPlan& plan) {
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  // The driver is open, and has a context, with the first kernel.
  const auto spin = (*load)->compile(microbenchmark::make_spin());
  if (!spin) return Unexpected(spin.error());
  const auto made =
      make_plan(**load, &marks, {.l1_bytes = plan.l1_bytes, .l2_bytes = plan.l2_bytes});
  if (!made) return Unexpected(made.error());
  if (made->verified_by != marks.name()) {
    return Unexpected(Errc::device, fmt::format("{}", fmt::join(made->notes, "; ")));
  }
  if (!plan.products) return {};
  const auto products = make_products(**load, marks);
  if (!products) return Unexpected(products.error());
  return {};
}

}  // namespace truewatt::memory
