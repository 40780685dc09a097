#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/store/toml_guard.hpp"

namespace truewatt::store {

using Names = std::vector<std::string>;

/// Where the text came from and the first thing found wrong with it. Text from inside the document
/// is shifted (toml_guard.hpp), what leaves it is not.
class Document {
 public:
  explicit Document(std::string_view origin) : origin_(origin) {}
  void fail(const toml::source_region& where, std::string_view message) {
    if (error_) return;
    error_ = Error{Errc::parse,
                   fmt::format("{}:{}: {}", origin_, where.begin.line, shift_back(message))};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string_view origin_;
  std::optional<Error> error_;
};

/// What a node is, with its article.
std::string_view type_name(const toml::node& node);

/// Reads the keys of one TOML table into values; an absent key leaves its value as it is.
/// refuse_unknown() then complains about keys that nobody asked for. What is wrong goes to the
/// document.
class Fields {
 public:
  Fields(const toml::table& table, std::string_view name, Document& document)
      : table_(table), name_(name), document_(document) {}

  const toml::node* find(std::string_view key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  /// The value at `key`; null when it is absent or of another type, which fails.
  template <class Type>
  auto typed(std::string_view key, std::string_view wanted) {
    const auto* node = find(key);
    const auto* value = node == nullptr ? nullptr : node->as<Type>();
    if (node != nullptr && value == nullptr) fail_type(*node, key, wanted);
    return value;
  }

  void number(std::string_view key, double& out) {
    if (const auto* node = find(key)) out = number_of(*node, key);
  }
  void number(std::string_view key, Watts& out) {
    if (const auto* node = find(key)) out = Watts(number_of(*node, key));
  }
  void number(std::string_view key, Seconds& out) {
    if (const auto* node = find(key)) out = Seconds(number_of(*node, key));
  }
  void number(std::string_view key, std::optional<Watts>& out) {
    if (const auto* node = find(key)) out = Watts(number_of(*node, key));
  }
  /// A negative number says "absent".
  void unless_negative(std::string_view key, std::optional<Seconds>& out) {
    const auto* node = find(key);
    const double seconds = node == nullptr ? -1.0 : number_of(*node, key);
    if (seconds >= 0) out = Seconds(seconds);
  }

  template <class Integer>
  void count(std::string_view key, Integer& out) {
    constexpr auto kMost = std::numeric_limits<Integer>::max();
    const auto* value = typed<int64_t>(key, "an integer");
    if (value == nullptr) return;
    if (value->get() < 0 || std::cmp_greater(value->get(), kMost)) {
      return fail(*value, key, fmt::format("= {}: must be between 0 and {}", value->get(), kMost));
    }
    out = static_cast<Integer>(value->get());
  }
  void flag(std::string_view key, bool& out) {
    if (const auto* value = typed<bool>(key, "true or false")) out = value->get();
  }
  void text(std::string_view key, std::string& out) {
    if (const auto* value = typed<std::string>(key, "a string")) out = shift_back(value->get());
  }
  template <class Enum>
  void name(std::string_view key, Enum& out, std::optional<Enum> (*parse)(std::string_view),
            const Names& allowed) {
    if (const auto* node = find(key)) out = name_of(*node, key, parse, allowed).value_or(out);
  }

  template <class Enum>
  std::optional<Enum> name_of(const toml::node& node, std::string_view key,
                              std::optional<Enum> (*parse)(std::string_view),
                              const Names& allowed) {
    const auto* text = node.as_string();
    if (text == nullptr) {
      fail_type(node, key, "a string");
      return std::nullopt;
    }
    const std::optional<Enum> value = parse(text->get());
    if (!value) {
      fail(node, key,
           fmt::format("= \"{}\" is unknown; did you mean \"{}\"?", text->get(),
                       nearest_name(text->get(), allowed)));
    }
    return value;
  }

  /// The elements of the array at `key`; none when it is absent or something else, which fails.
  std::vector<const toml::node*> elements(std::string_view key) {
    std::vector<const toml::node*> elements;
    if (const auto* array = typed<toml::array>(key, "an array")) {
      for (const toml::node& element : *array) elements.push_back(&element);
    }
    return elements;
  }
  /// Every `[number, ...]` of the array at `key`, each of `Size` numbers.
  template <std::size_t Size>
  std::vector<std::array<double, Size>> tuples(std::string_view key, std::string_view form) {
    std::vector<std::array<double, Size>> tuples;
    for (const toml::node* element : elements(key)) {
      const auto* numbers = element->as_array();
      if (numbers == nullptr || numbers->size() != Size) {
        fail(*element, key, fmt::format("must be an array of {}", form));
        return {};
      }
      auto& tuple = tuples.emplace_back();
      for (std::size_t i = 0; i < Size; ++i) tuple[i] = number_of((*numbers)[i], key);
    }
    return tuples;
  }

  double number_of(const toml::node& node, std::string_view key) {
    if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
    const auto* real = node.as_floating_point();
    if (real == nullptr) {
      fail_type(node, key, "a number");
    } else if (std::isfinite(real->get())) {
      return real->get();
    } else {
      fail(node, key, fmt::format("= {}: must be a finite number", real->get()));
    }
    return 0.0;
  }

  void fail(const toml::node& node, std::string_view key, std::string_view what) {
    document_.fail(node.source(), fmt::format("{} {} {}", name_, key, what));
  }
  void fail_type(const toml::node& node, std::string_view key, std::string_view wanted) {
    fail(node, key, fmt::format("must be {}, not {}", wanted, type_name(node)));
  }

  void refuse_unknown() {
    for (const auto& [key, node] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      return document_.fail(key.source(),
                            fmt::format("{} has no key `{}`; did you mean `{}`?", name_, key.str(),
                                        nearest_name(key.str(), known_)));
    }
  }

  const toml::table& table() const { return table_; }

 private:
  const toml::table& table_;
  std::string_view name_;
  Document& document_;
  Names known_;
};

}  // namespace truewatt::store
