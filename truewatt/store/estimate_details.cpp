#include "truewatt/store/estimate_details.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace truewatt::store {
namespace {

using energy::EnergyEstimate;

/// A table whose first column is an estimate's id, and what a row of it adds to that.
struct Detail {
  const char* table = nullptr;
  Result<void> (*add)(EnergyEstimate& estimate, const Statement& row) = nullptr;
  bool is_newer = false;  ///< files of older versions do not have it
};

Result<void> add_term(EnergyEstimate& estimate, const Statement& row) {
  const std::string type(row.text(3));
  const auto cause = uncertainty::parse_cause(row.text(1), type.empty() ? '\0' : type.front());
  if (cause) {
    estimate.budget.push_back({*cause, row.real(2)});
  } else {
    estimate.foreign.budget.push_back({std::string(row.text(1)), type, row.real(2)});
  }
  return {};
}

Result<void> add_naive(EnergyEstimate& estimate, const Statement& row) {
  estimate.naive_j[std::string(row.text(1))] = row.real(2);
  return {};
}

Result<void> add_source(EnergyEstimate& estimate, const Statement& row) {
  const auto source = parse_source(row.text(1));
  if (!source) return unknown_name("source", row.text(1));
  estimate.sources.push_back(*source);
  return {};
}

Result<void> add_reader(EnergyEstimate& estimate, const Statement& row) {
  energy::ReaderEnergy one;
  const auto reader = energy::parse_reader(row.text(1));
  if (!reader) return unknown_name("reader", row.text(1));
  one.reader = *reader;
  if (!row.is_null(2)) {
    one.source = parse_source(row.text(2));
    if (!one.source) return unknown_name("source", row.text(2));
  }
  if (!row.is_null(3)) one.energy = Joules(row.real(3));
  one.over = Seconds(row.real(4));
  estimate.readers.push_back(one);
  return {};
}

/// What gain and offset leave of the gross and the net energy, J.
Result<void> add_gain(EnergyEstimate& estimate, const Statement& row) {
  if (estimate.energy && !row.is_null(1)) estimate.energy->gain_uncertainty = row.real(1);
  if (estimate.net_energy && !row.is_null(2)) estimate.net_energy->gain_uncertainty = row.real(2);
  return {};
}

Result<void> add_scale(EnergyEstimate& estimate, const Statement& row) {
  const energy::ScaleUncertainty scale{row.real(1), row.real(2), row.real(3)};
  if (!(std::abs(scale.correlation) <= 1)) {
    return Unexpected(Errc::parse, fmt::format("a correlation of {} in the run file; it is damaged",
                                               scale.correlation));
  }
  estimate.scale = scale;
  return {};
}

Result<void> add_baseline(EnergyEstimate& estimate, const Statement& row) {
  estimate.baseline_kind = energy::parse_baseline_kind(row.text(1));
  if (!row.is_null(2)) estimate.baseline_rung = energy::parse_idle_rung(row.text(2));
  return {};
}

Result<void> add_reason(EnergyEstimate& estimate, const Statement& row) {
  if (const auto reason = energy::parse_reason(row.text(1))) {
    estimate.reasons.push_back(*reason);
  } else {
    estimate.foreign.reasons.emplace_back(row.text(1));
  }
  return {};
}

constexpr std::array kDetails = {Detail{"estimate_budget", add_term},
                                 Detail{"estimate_naive", add_naive},
                                 Detail{"estimate_sources", add_source, true},
                                 Detail{"estimate_readers", add_reader, true},
                                 Detail{"estimate_gain", add_gain, true},
                                 Detail{"estimate_scale", add_scale, true},
                                 Detail{"estimate_baseline", add_baseline, true},
                                 Detail{"estimate_reasons", add_reason}};

Result<bool> has_table(Database& database, const std::string& table) {
  const auto count =
      database.query_integer("SELECT count(*) FROM sqlite_master WHERE name = '" + table + "'");
  if (!count) return Unexpected(count.error());
  return *count > 0;
}

Result<void> add_rows(Database& database, const Detail& detail, EstimatesById& estimates) {
  const auto add = [&](const Statement& row) -> Result<void> {
    const auto found = estimates.find(row.integer(0));
    if (found == estimates.end()) return unknown_name("estimate", row.text(0));
    return detail.add(found->second.second, row);
  };
  return database.each(std::string("SELECT * FROM ") + detail.table + " ORDER BY rowid", add);
}

}  // namespace

Unexpected unknown_name(std::string_view what, std::string_view name) {
  return {Errc::parse, fmt::format("the run file names the {} `{}`, which this truewatt does not "
                                   "know; it may come from a newer one",
                                   what, name)};
}

Result<void> add_estimate_details(Database& database, EstimatesById& estimates) {
  for (const Detail& detail : kDetails) {
    if (detail.is_newer) {
      const auto there = has_table(database, detail.table);
      if (!there) return Unexpected(there.error());
      if (!*there) continue;
    }
    if (auto done = add_rows(database, detail, estimates); !done) return done;
  }
  return {};
}

}  // namespace truewatt::store
