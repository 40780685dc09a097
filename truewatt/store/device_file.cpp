#include "truewatt/store/device_file.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "truewatt/store/nearest_name.hpp"
#include "truewatt/store/text_file.hpp"
#include "truewatt/store/toml_guard.hpp"

namespace truewatt::store {
namespace {

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

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

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

const Names& kind_names() {
  static const Names names = {"power.usage", "power.average", "power.instant", "power.samples",
                              "energy.counter"};
  return names;
}

void read_board(Fields& power, BoardDescription& board) {
  power.number("sleep_w", board.sleep);
  power.number("idle_w", board.idle);
  power.number("max_w", board.max);
  power.number("rise_time_constant_s", board.rise_time_constant);
  power.number("rise_fraction", board.rise_fraction);
  power.number("overshoot", board.overshoot);
  power.number("overshoot_time_constant_s", board.overshoot_time_constant);
  power.number("active_idle_w", board.active_idle);
  power.number("active_idle_hold_s", board.active_idle_hold);
  power.number("step_down_s", board.step_down);
  power.number("drift_w", board.drift);
  power.number("drift_time_constant_s", board.drift_time_constant);
  power.number("noise_w", board.noise);
  power.number("cpu_idle_w", board.cpu_idle);
  power.number("cpu_max_w", board.cpu_max);
}

void read_sensor(Fields& table, SensorDescription& sensor) {
  static const Names kScopes = {"gpu", "module", "memory", "cpu"};
  table.name("source", sensor.source.kind, parse_source_kind, kind_names());
  table.name("scope", sensor.source.scope, parse_scope, kScopes);
  Scope observes = sensor.source.scope;
  table.name("observes", observes, parse_scope, kScopes);
  if (observes != sensor.source.scope) sensor.observes = observes;
  SourceId alias_of = sensor.source;
  table.name("alias_of", alias_of, parse_source, kind_names());
  if (alias_of != sensor.source) sensor.alias_of = alias_of;
  table.count("activity_steps", sensor.activity_steps);
  table.number("update_period_s", sensor.model.update_period);
  table.number("averaging_window_s", sensor.model.averaging_window);
  table.number("time_constant_s", sensor.model.time_constant);
  table.number("delay_s", sensor.model.delay);
  table.number("jitter_s", sensor.jitter);
  table.number("gain", sensor.model.gain);
  table.number("offset_w", sensor.model.offset);
  table.number("quantum", sensor.quantum);
  table.number("noise_w", sensor.noise);
  table.unless_negative("phase_s", sensor.phase);
  table.number("inner_period_s", sensor.model.inner_period);
  table.number("client_cache_s", sensor.client_cache);
  table.flag("client_double", sensor.client_double);
  table.number("call_cost_s", sensor.call_cost);
  table.count("ring", sensor.ring);
}

void read_faults(Fields& table, FaultDescription& faults) {
  table.unless_negative("gpu_lost_s", faults.gpu_lost);
  table.unless_negative("counter_reset_s", faults.counter_reset);
  for (const auto& [at, length] : table.tuples<2>("stalls", "[at, length]")) {
    faults.stalls.push_back({Seconds(at), Seconds(length)});
  }
  for (const auto& [at, length, cap] : table.tuples<3>("throttle", "[at, length, level cap]")) {
    faults.throttle.push_back({Seconds(at), Seconds(length), cap});
  }
  for (const auto& [at, length, level] : table.tuples<3>("other_work", "[at, length, level]")) {
    faults.other_work.push_back({Seconds(at), Seconds(length), level});
  }
  for (const toml::node* element : table.elements("denied")) {
    const auto kind = table.name_of(*element, "denied", parse_source_kind, kind_names());
    if (kind) faults.denied.push_back(*kind);
  }
}

double energy_of(Fields& table, const toml::node& node, std::string_view key) {
  const double joules = table.number_of(node, key);
  if (joules < 0) table.fail(node, key, fmt::format("= {}: must not be negative", joules));
  return joules;
}

void read_instructions(Fields& table, std::map<std::string, double>& joules) {
  for (const auto& [key, node] : table.table()) {
    const std::string name(key.str());
    if (node.is_table()) {
      table.fail(node, name, "must be a number; write an instruction's name in quotes");
    } else {
      joules[shift_back(name)] = energy_of(table, *table.find(name), name);
    }
  }
}

void read_memory(Fields& table, std::map<std::string, double>& joules) {
  for (const char* level : {"shared", "l1", "l2", "dram"}) {
    if (const auto* node = table.find(level)) joules[level] = energy_of(table, *node, level);
  }
}

/// Reads one table with `read(fields, out)`, then refuses its other keys.
template <class Out>
void read_table(const toml::node& node, std::string_view name, Document& document,
                void (*read)(Fields&, Out&), Out& out) {
  const auto* table = node.as_table();
  if (table == nullptr) {
    return document.fail(node.source(),
                         fmt::format("{} must be a table, not {}", name, type_name(node)));
  }
  Fields fields(*table, name, document);
  read(fields, out);
  fields.refuse_unknown();
}

void read_document(const toml::table& root, Document& document, DeviceDescription& device) {
  Fields top(root, "the top level", document);
  top.text("name", device.name);
  if (const auto* node = top.find("power")) {
    read_table(*node, "[power]", document, read_board, device.board);
  }
  for (const toml::node* node : top.elements("sensor")) {
    read_table(*node, "[[sensor]]", document, read_sensor, device.sensors.emplace_back());
  }
  if (const auto* node = top.find("instructions")) {
    read_table(*node, "[instructions]", document, read_instructions, device.instruction_j);
  }
  if (const auto* node = top.find("memory")) {
    read_table(*node, "[memory]", document, read_memory, device.sector_j);
  }
  if (const auto* node = top.find("caches")) {
    const auto read_caches = +[](Fields& table, DeviceDescription& described) {
      table.count("l1_bytes", described.l1_bytes);
      table.count("l2_bytes", described.l2_bytes);
    };
    read_table(*node, "[caches]", document, read_caches, device);
  }
  if (const auto* node = top.find("faults")) {
    read_table(*node, "[faults]", document, read_faults, device.faults);
  }
  if (const auto* node = top.find("mig")) {
    const auto read_mig =
        +[](Fields& table, MigDescription& mig) { table.number("share", mig.share); };
    read_table(*node, "[mig]", document, read_mig, device.mig.emplace());
  }
  top.refuse_unknown();
}

}  // namespace

Result<DeviceDescription> read_device_toml(std::string_view text, std::string_view origin) {
  if (const auto line = find_deep_key(text)) {
    return Unexpected(Errc::parse, fmt::format("{}:{}: a key may have at most {} dotted parts",
                                               origin, *line, kDeepestTomlKey));
  }
  const toml::parse_result parsed = toml::parse(shift_beyond_ascii(text));
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return Unexpected(Errc::parse, fmt::format("{}:{}: {}", origin, error.source().begin.line,
                                               shift_back(error.description())));
  }
  Document document(origin);
  DeviceDescription device;
  device.name = std::filesystem::path(origin).stem().string();
  device.uuid = uuid_from_content(text);
  read_document(parsed.table(), document, device);
  if (document.error()) return Unexpected(*document.error());
  if (const auto valid = validate(device); !valid) {
    return Unexpected(valid.error().code, fmt::format("{}: {}", origin, valid.error().message));
  }
  return device;
}

Result<DeviceDescription> find_device(std::string_view selector) {
  if (!selector.ends_with(".toml")) {
    if (auto builtin = builtin_device(selector)) return std::move(*builtin);
    const Names names = builtin_device_names();
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("no simulated device `{}`; did you mean `{}`? Built in: {}. A description of "
                    "your own is a file that ends in .toml",
                    selector, nearest_name(selector, names), fmt::join(names, ", ")));
  }
  const std::filesystem::path path(selector);
  const auto text = read_text_file(path);
  if (!text) return Unexpected(text.error());
  return read_device_toml(*text, path.string());
}

}  // namespace truewatt::store
