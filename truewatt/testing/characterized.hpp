#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "truewatt/characterize/characterization.hpp"

namespace truewatt::characterize {

/// For tests: a simulated device, characterized.
inline identification::Characterization characterized(const std::string& device,
                                                      const CharacterizeOptions& options = {}) {
  auto set = devices::open_devices({.selectors = {device}, .seed = options.seed}, {});
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  auto result = characterize(*set, {}, options);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return std::move(*result);
}

/// The GPU's source of this kind.
inline const SourceProfile& source_of(const identification::Characterization& result,
                                      SourceKind kind) {
  const auto* source = find_source(result.profile, {kind, Scope::gpu});
  if (source == nullptr) throw std::runtime_error("source is missing");
  return *source;
}

}  // namespace truewatt::characterize
