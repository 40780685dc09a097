#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/kernels/kernel.hpp"

namespace truewatt::load {

/// No load lasts longer than a day.
inline constexpr Seconds kLongestLoad{24.0 * 3600.0};
/// Two edges closer than this are one: host time counts whole nanoseconds.
inline constexpr Seconds kShortestLoad{1e-9};
/// Most steps of one schedule (160 MB of them).
inline constexpr std::uint64_t kMostSteps = 10'000'000;

/// A finite decimal number that fills `text` but for spaces around it; nothing else.
std::optional<double> parse_spaced_number(std::string_view text);

/// `100ms`, `20us`, `1.5s` or bare seconds.
Result<Seconds> parse_duration(std::string_view text);

/// The kernel of a name: "fma" is the load's own, null. Nothing where there is none of that name.
std::optional<std::shared_ptr<const kernels::Kernel>> kernel_of(std::string_view name);
/// "fma and copy"
std::string kernel_names();

/// A load SPEC taken apart: `NAME` or `NAME:key=value,key=value`. The getters return the default of
/// an absent key; their errors name the load, the key, the value and what is allowed. Views into
/// the text given to parse: it must outlive the object.
class SpecText {
 public:
  /// Rejects items that are not `key=value`, keys not in `allowed` and keys given twice.
  static Result<SpecText> parse(std::string_view name, std::string_view items,
                                std::initializer_list<std::string_view> allowed);

  /// kShortestLoad to kLongestLoad.
  Result<Seconds> duration(std::string_view key, Seconds otherwise) const;
  /// 0 to kLongestLoad.
  Result<Seconds> duration_or_zero(std::string_view key, Seconds otherwise) const;
  /// 0 to 1.
  Result<double> fraction(std::string_view key, double otherwise) const;
  /// A whole number, 1 to `most`.
  Result<std::uint64_t> count(std::string_view key, std::uint64_t otherwise,
                              std::uint64_t most) const;
  /// One of kernel_names(); "fma" where the key is absent.
  Result<std::shared_ptr<const kernels::Kernel>> kernel(std::string_view key) const;

 private:
  struct Item {
    std::string_view key;
    std::string_view value;
  };

  explicit SpecText(std::string_view name) : name_(name) {}
  const Item* find(std::string_view key) const;
  Result<void> add(std::string_view item, std::initializer_list<std::string_view> allowed);
  Unexpected refuse(const Item& item, std::string_view allowed) const;
  Result<Seconds> duration_from(std::string_view key, Seconds otherwise, Seconds least) const;

  std::string_view name_;
  std::vector<Item> items_;
};

}  // namespace truewatt::load
