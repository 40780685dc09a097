#include "truewatt/memory/counting.hpp"

#include <fmt/format.h>

#include <utility>

#include "truewatt/experiment/session.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::memory {
namespace {

std::string note_of(const Error& error) {
  return fmt::format("hardware counters cannot be read: {}; what follows rests on time",
                     error.message);
}

}  // namespace

std::string Counting::verified_by() const {
  return counters_ != nullptr ? std::string(counters_->name()) : "time";
}

void Counting::refuse(Error why) {
  refusal_ = std::move(why);
  counters_ = nullptr;
}

void Counting::note_refusal(std::vector<std::string>& notes) const {
  if (refusal_) notes.push_back(note_of(*refusal_));
}

Result<void> Counting::look_elsewhere(load::Load& load, const Sizes& sizes,
                                      std::vector<std::string>& notes) {
  const bool wanted = options_.only_elsewhere || (refusal_ && refusal_->code == Errc::unavailable);
  if (!options_.elsewhere || !wanted) {
    note_refusal(notes);
    return {};
  }
  experiment::say(options_.progress, 0.06, "counting in another process");
  const auto spin = load.compile(microbenchmark::make_spin());
  if (!spin) return Unexpected(spin.error());
  auto counted = options_.elsewhere({.l1_bytes = sizes.l1_bytes,
                                     .l2_bytes = sizes.l2_bytes,
                                     .products = options_.products,
                                     .compute_capability = (*spin)->compute_capability});
  if (!counted) {
    note_refusal(notes);
    notes.push_back(note_of(counted.error()));
    return {};
  }
  elsewhere_ = std::move(*counted);
  counters_ = elsewhere_.get();
  notes.push_back(
      fmt::format("the caches were found by time; {} counted the launches that verify the levels",
                  counters_->name()));
  return {};
}

}  // namespace truewatt::memory
