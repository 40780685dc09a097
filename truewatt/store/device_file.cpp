#include "truewatt/store/device_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/store/text_file.hpp"
#include "truewatt/store/toml_fields.hpp"
#include "truewatt/store/toml_guard.hpp"

namespace truewatt::store {
namespace {

const Names& kind_names() {
  static const Names names = [] {
    Names all;
    for (const SourceKind kind : kSourceKinds) all.emplace_back(to_string(kind));
    return all;
  }();
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
  table.flag("counters_denied", faults.counters_denied);
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

void read_machine(Fields& table, MachineDescription& machine) {
  table.count("sms", machine.sms);
  table.number("clock_hz", machine.clock_hz);
  table.number("lanes_per_cycle", machine.lanes_per_cycle);
  table.count("threads_per_sm", machine.threads_per_sm);
  table.number("spin_w", machine.spin);
  table.number("stray", machine.stray);
  table.number("clock_exponent", machine.clock_exponent);
  table.number("mixing", machine.mixing);
  for (const toml::node* element : table.elements("folded")) {
    if (const auto name = element->value<std::string>()) machine.folded.push_back(*name);
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
  if (const auto* node = top.find("instructions_zeros")) {
    read_table(*node, "[instructions_zeros]", document, read_instructions,
               device.instruction_zeros_j);
  }
  if (const auto* node = top.find("machine")) {
    read_table(*node, "[machine]", document, read_machine, device.machine);
  }
  if (const auto* node = top.find("memory")) {
    read_table(*node, "[memory]", document, read_memory, device.sector_j);
  }
  if (const auto* node = top.find("memory_store")) {
    read_table(*node, "[memory_store]", document, read_memory, device.sector_store_j);
  }
  if (const auto* node = top.find("memory_zeros")) {
    read_table(*node, "[memory_zeros]", document, read_memory, device.sector_zeros_j);
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
    const int line = static_cast<int>(error.source().begin.line);
    return Unexpected(Errc::parse, fmt::format("{}:{}: {}", origin, line, not_toml(text, line)));
  }
  if (parsed.table().empty()) {
    return Unexpected(Errc::parse,
                      fmt::format("{} describes nothing: a simulated GPU needs at least "
                                  "[power] and a [[sensor]]",
                                  origin));
  }
  Document document(origin);
  DeviceDescription device;
  device.name = std::filesystem::path(origin).stem().string();
  device.uuid = uuid_from_content(text);
  read_document(parsed.table(), document, device);
  if (document.error()) return Unexpected(*document.error());
  if (const auto valid = check_description(device); !valid) {
    return Unexpected(Errc::parse, fmt::format("{}: {}", origin, valid.error().message));
  }
  return device;
}

Result<DeviceDescription> find_device(std::string_view selector) {
  if (!selector.ends_with(".toml")) {
    if (auto builtin = builtin_device(selector)) return std::move(*builtin);
    const Names names = builtin_device_names();
    const auto near = close_name(selector, names);
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("no simulated device `{}`; {}there are {}. A description of your own is a file "
                    "that ends in .toml",
                    selector, near ? fmt::format("did you mean `sim:{}`? ", *near) : "",
                    fmt::join(names, ", ")));
  }
  const std::filesystem::path path(selector);
  const auto text = read_text_file(path);
  if (!text) return Unexpected(text.error());
  return read_device_toml(*text, path.string());
}

}  // namespace truewatt::store
