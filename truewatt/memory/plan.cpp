#include "truewatt/memory/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/machine_code/loop_body.hpp"

namespace truewatt::memory {
namespace {

using kernels::AccessPattern;
using kernels::Data;
using kernels::MemoryOperation;
using kernels::MemorySpace;

constexpr unsigned kMostCopies = 8;
/// Shared memory that every device gives a block.
constexpr std::uint64_t kSharedBytes = 32768;
/// Arrays are at most so large a part of the cache that they stay in it.
constexpr double kFits = 3.0;
constexpr double kBeyond = 8.0;
constexpr double kLeastDram = 268435456.0;
constexpr double kMostDram = 1073741824.0;
/// Gates (Delestrac et al. 2024, section V-B).
constexpr double kServed = 0.99;
constexpr double kSameCount = 0.02;

std::uint64_t multiple_of(double bytes, std::uint64_t step) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / step) * step;
}

/// Fewer threads where a step of the walk would not fit into `most` bytes.
void fit_into(AccessPattern& pattern, double most, unsigned copies) {
  AccessPattern full = pattern;
  full.copies = copies;
  while (full.threads > 32 && static_cast<double>(step_bytes(full)) > most) full.threads /= 2;
  pattern.threads = full.threads;
}

/// Opcodes that an access may be.
std::string_view opcode_of(const AccessPattern& pattern) {
  const bool store = pattern.operation == MemoryOperation::store;
  if (pattern.space == MemorySpace::shared) return store ? "STS" : "LDS";
  return store ? "STG" : "LDG";
}

double count_of(const machine_code::LoopBody& loop, std::string_view opcode) {
  double count = 0.0;
  for (const auto& one : loop.opcodes) {
    if (std::string_view(one.opcode).starts_with(opcode)) count += one.count;
  }
  return count;
}

class Planning {
 public:
  Planning(load::Load& load, counters::Counters* counters, const Sizes& sizes)
      : load_(load), counters_(counters), sizes_(sizes) {}

  Result<Plan> make() {
    for (const Data data : {Data::random, Data::zeros}) {
      for (const MemoryOperation operation : {MemoryOperation::load, MemoryOperation::store}) {
        for (const Level level : kAllLevels) {
          if (auto added = add_row({level, operation, data}); !added) {
            return Unexpected(added.error());
          }
        }
      }
    }
    if (counters_ != nullptr && refused_ == 0) plan_.verified_by = counters_->name();
    return std::move(plan_);
  }

 private:
  Result<void> add_row(const LevelKey& key) {
    plan_.rows.push_back({.key = key});
    LevelRow& row = plan_.rows.back();
    std::vector<Loop> loops;
    for (const unsigned copies : kCopies) {
      Loop loop{.row = plan_.rows.size() - 1, .pattern = pattern_for(key, copies, sizes_)};
      auto made = make_loop(loop, row);
      if (!made) return made;
      loops.push_back(std::move(loop));
    }
    if (std::any_of(row.reasons.begin(), row.reasons.end(), spoils)) return {};
    for (const unsigned copies : {kCopies[0], kMostCopies}) {
      Loop twin{.row = kNoRow, .pattern = pattern_for(key, copies, sizes_)};
      twin.pattern.without = true;
      // Nothing of a twin depends on the array but what its registers hold.
      if (key.level == Level::dram) continue;
      auto made = make_loop(twin, row);
      if (!made) return made;
      loops.push_back(std::move(twin));
    }
    for (Loop& loop : loops) plan_.loops.push_back(std::move(loop));
    return {};
  }

  Result<void> make_loop(Loop& loop, LevelRow& row) {
    loop.kernel = kernels::make_access_kernel(loop.pattern);
    const auto compiled = load_.compile(loop.kernel);
    if (!compiled) {
      if (compiled.error().code == Errc::device) return Unexpected(compiled.error());
      add_reason(row, Reason::not_compiled);
      row.detail = compiled.error().message;
      return {};
    }
    if (loop.pattern.without) return {};
    loop.served = aimed_at(loop.pattern, row.key.level);
    look_at_code(**compiled, loop, row);
    return look_at_counts(loop, row);
  }

  void look_at_code(const load::CompiledKernel& compiled, const Loop& loop, LevelRow& row) {
    if (compiled.image.empty()) return;
    const auto body = machine_code::loop_body(compiled.image, kernels::kAccessEntry);
    if (!body) {
      // Code older than Volta's is not read; counters still say what ran.
      if (!undecoded_) {
        plan_.notes.push_back(fmt::format("machine code not looked at: {}", body.error().message));
      }
      undecoded_ = true;
      return;
    }
    const double found = count_of(*body, opcode_of(loop.pattern));
    if (found != loop.pattern.copies) {
      add_reason(row, Reason::not_in_machine_code);
      row.detail = fmt::format("{} {} in the loop instead of {}", found, opcode_of(loop.pattern),
                               loop.pattern.copies);
    }
    if (count_of(*body, "LDL") + count_of(*body, "STL") > 0) add_reason(row, Reason::spilled);
    if (loop.pattern.copies == kMostCopies) row.machine = body->opcodes;
  }

  Result<void> look_at_counts(Loop& loop, LevelRow& row) {
    if (counters_ == nullptr || refused_ > 0) {
      add_reason(row, Reason::not_counted);
      return {};
    }
    const auto counted = count_accesses(load_, *counters_, *loop.kernel, loop.pattern);
    if (!counted) {
      // Whatever keeps counters away, time stands in for them.
      ++refused_;
      plan_.notes.push_back(fmt::format(
          "hardware counters cannot be read: {}; levels rest on the sizes of the caches "
          "and on time",
          counted.error().message));
      add_reason(row, Reason::not_counted);
      return {};
    }
    judge(*counted, loop, row);
    return {};
  }

  void judge(const CountedAccess& counted, Loop& loop, LevelRow& row) {
    const double wanted = total_of(loop.served);
    const double found = total_of(counted.served);
    if (std::abs(found - wanted) > kSameCount * wanted) {
      add_reason(row, Reason::wrong_count);
      row.detail = fmt::format("{:.4g} sectors for each iteration of a thread instead of {:.4g}",
                               found, wanted);
    }
    if (counted.local_sectors > 0) add_reason(row, Reason::spilled);
    const double share = share_at(counted.served, row.key.level);
    row.served = std::min(row.served.value_or(1.0), share);
    if (row.key.level == Level::l2) row.far_share = counted.far_share;
    if (share < kServed) {
      const bool through = row.key.operation == MemoryOperation::store &&
                           row.key.level == Level::l1 &&
                           share_at(counted.served, Level::l2) > kServed;
      // The fit charges each level with what it served: nine tenths tell enough of it.
      add_reason(row, through                 ? Reason::write_through
                      : share < kMostlyServed ? Reason::wrong_level
                                              : Reason::mixed_levels);
      row.detail = fmt::format("{:.1f} % of its sectors served there", 100 * share);
    }
    if (found > 0) loop.served = counted.served;
  }

  /// Below, too little is served where it should be.
  static constexpr double kMostlyServed = 0.9;

  load::Load& load_;
  counters::Counters* counters_;
  const Sizes& sizes_;
  Plan plan_;
  int refused_ = 0;
  bool undecoded_ = false;
};

}  // namespace

AccessPattern pattern_for(const LevelKey& key, unsigned copies, const Sizes& sizes) {
  AccessPattern pattern{.operation = key.operation, .data = key.data, .copies = copies};
  switch (key.level) {
    case Level::shared:
      pattern.space = MemorySpace::shared;
      pattern.region = kSharedBytes;
      fit_into(pattern, kSharedBytes, kMostCopies);
      break;
    case Level::l1: {
      const double most = std::min<double>(kSharedBytes, sizes.l1_bytes / kFits);
      fit_into(pattern, most, kMostCopies);
      AccessPattern full = pattern;
      full.copies = kMostCopies;
      pattern.region = multiple_of(most, step_bytes(full));
      break;
    }
    case Level::l2:
    case Level::dram: {
      const bool dram = key.level == Level::dram;
      pattern.through_l1 = false;
      pattern.of_block = false;
      const double bytes = dram ? std::clamp(kBeyond * sizes.l2_bytes, kLeastDram, kMostDram)
                                : sizes.l2_bytes / kFits;
      fit_into(pattern, bytes / 4, kMostCopies);
      AccessPattern full = pattern;
      full.copies = kMostCopies;
      pattern.region = multiple_of(bytes, step_bytes(full));
      break;
    }
  }
  return pattern;
}

AccessPattern chain_for(Level level, unsigned threads, bool divide, const Sizes& sizes) {
  AccessPattern pattern = pattern_for({level, MemoryOperation::load, Data::random}, 4, sizes);
  pattern.bytes = 8;
  pattern.threads = threads;
  pattern.dependent = true;
  pattern.divide = divide;
  // DRAM is read in pieces of two sectors or four.
  if (level == Level::dram) pattern.stride = 128;
  while (pattern.copies > 1 && step_bytes(pattern) > pattern.region) pattern.copies /= 2;
  return pattern;
}

Result<Plan> make_plan(load::Load& load, counters::Counters* counters, const Sizes& sizes) {
  const counters::InARow row(counters);
  return Planning(load, counters, sizes).make();
}

}  // namespace truewatt::memory
