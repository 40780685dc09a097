#include "truewatt/memory/counted_elsewhere.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "truewatt/memory/caches.hpp"
#include "truewatt/memory/plan.hpp"
#include "truewatt/memory/products.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::memory {
namespace {

/// Marks, and how many there were.
class Tally final : public counters::Counters {
 public:
  explicit Tally(counters::Counters& marks) : marks_(marks) {}
  std::string_view name() const override { return marks_.name(); }
  Result<counters::Counts> count(const std::function<Result<void>()>& launch) override {
    auto counts = marks_.count(launch);
    if (counts) ++marked_;
    return counts;
  }
  std::size_t marked() const { return marked_; }

 private:
  counters::Counters& marks_;
  std::size_t marked_ = 0;
};

}  // namespace

Result<CountedPlan> plan_what_is_counted(devices::DeviceSet& set,
                                         const devices::Environment& environment) {
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  const auto spin = (*load)->compile(microbenchmark::make_spin());
  if (!spin) return Unexpected(spin.error());
  const auto caches = find_caches(**load, {});
  if (!caches) return Unexpected(caches.error());
  const Sizes usual;
  return CountedPlan{.l1_bytes = caches->l1_bytes.value_or(usual.l1_bytes),
                     .l2_bytes = caches->l2_bytes.value_or(usual.l2_bytes),
                     .products = true,
                     .compute_capability = (*spin)->compute_capability};
}

Result<std::size_t> launch_what_is_counted(devices::DeviceSet& set,
                                           const devices::Environment& environment,
                                           counters::Counters& marks, const CountedPlan& plan) {
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  // The driver is open, and has a context, with the first kernel.
  const auto spin = (*load)->compile(microbenchmark::make_spin());
  if (!spin) return Unexpected(spin.error());
  Tally tally(marks);
  const auto made =
      make_plan(**load, &tally, {.l1_bytes = plan.l1_bytes, .l2_bytes = plan.l2_bytes});
  if (!made) return Unexpected(made.error());
  if (made->verified_by != marks.name()) {
    return Unexpected(Errc::device, fmt::format("{}", fmt::join(made->notes, "; ")));
  }
  if (!plan.products) return tally.marked();
  const auto products = make_products(**load, tally);
  if (!products) return Unexpected(products.error());
  return tally.marked();
}

}  // namespace truewatt::memory
