#include "truewatt/store/estimate_rows.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace truewatt::store {
namespace {

using energy::EnergyEstimate;
using energy::EnergyInterval;
using energy::Reason;

// Columns of the table `estimates`.
enum Column : int {
  kId,
  kDevice,
  kWindow,
  kEnergy,  // value, lower, upper, level, standard uncertainty
  kNetEnergy = kEnergy + 5,
  kMeanPower = kNetEnergy + 5,
  kBaseline,
  kSource,
  kMethod,
  kObservedFraction,
  kTruth,
  kValid,
  kResolved,
  kNeeds,
};

/// The five columns of an energy with its interval; all NULL when absent.
struct EnergyColumns {
  std::optional<double> value, lower, upper, level, standard_uncertainty;
};

EnergyColumns columns_of(const std::optional<EnergyInterval>& energy) {
  if (!energy) return {};
  const Interval& interval = energy->interval;
  return {interval.value, interval.lower, interval.upper, interval.level,
          energy->standard_uncertainty};
}

std::optional<EnergyInterval> energy_at(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  const Interval interval{row.real(column), row.real(column + 1), row.real(column + 2),
                          row.real(column + 3)};
  return EnergyInterval{interval, row.real(column + 4)};
}

/// What gain and offset leave of an energy, J.
std::optional<double> gain_of(const std::optional<EnergyInterval>& energy) {
  return energy ? std::optional(energy->gain_uncertainty) : std::nullopt;
}

void set_gain(std::optional<EnergyInterval>& energy, const Statement& row, int column) {
  if (energy && !row.is_null(column)) energy->gain_uncertainty = row.real(column);
}

template <class Quantity>
std::optional<double> number(const std::optional<Quantity>& quantity) {
  if (!quantity) return std::nullopt;
  return quantity->value();
}

template <class Quantity>
std::optional<Quantity> quantity_at(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return Quantity(row.real(column));
}

Unexpected unknown_name(std::string_view what, std::string_view name) {
  return {Errc::parse, fmt::format("the run file names the {} `{}`, which this truewatt does not "
                                   "know; it may come from a newer one",
                                   what, name)};
}

Result<EnergyEstimate> estimate_of(const Statement& row) {
  EnergyEstimate estimate;
  if (!row.is_null(kSource)) {
    estimate.source = parse_source(row.text(kSource));
    if (!estimate.source) return unknown_name("source", row.text(kSource));
  }
  estimate.window = Seconds(row.real(kWindow));
  estimate.energy = energy_at(row, kEnergy);
  estimate.net_energy = energy_at(row, kNetEnergy);
  estimate.mean_power = quantity_at<Watts>(row, kMeanPower);
  estimate.baseline = quantity_at<Watts>(row, kBaseline);
  estimate.method = Coded<energy::Method>::read(row.text(kMethod), energy::parse_method);
  estimate.observed_fraction = row.optional_real(kObservedFraction);
  estimate.truth = quantity_at<Joules>(row, kTruth);
  estimate.valid = row.integer(kValid) != 0;
  estimate.resolved = row.integer(kResolved) != 0;
  estimate.needs = quantity_at<Seconds>(row, kNeeds);
  return estimate;
}

using EstimatesById = std::map<std::int64_t, std::pair<std::int64_t, EnergyEstimate>>;

/// Calls `add(estimate, row)` for the rows of a table whose first column is an estimate's id.
template <class Add>
Result<void> add_rows(Database& database, const std::string& table, EstimatesById& estimates,
                      Add&& add) {
  return database.each("SELECT * FROM " + table + " ORDER BY rowid",
                       [&](const Statement& row) -> Result<void> {
                         const auto found = estimates.find(row.integer(0));
                         if (found == estimates.end()) {
                           return unknown_name("estimate", row.text(0));
                         }
                         return add(found->second.second, row);
                       });
}

/// Files of older versions do not have every table.
template <class Add>
Result<void> add_rows_if_there(Database& database, const std::string& table,
                               EstimatesById& estimates, Add&& add) {
  const auto count =
      database.query_integer("SELECT count(*) FROM sqlite_master WHERE name = '" + table + "'");
  if (!count) return Unexpected(count.error());
  if (*count == 0) return {};
  return add_rows(database, table, estimates, std::forward<Add>(add));
}

Result<energy::ReaderEnergy> reader_of(const Statement& row) {
  energy::ReaderEnergy one;
  const auto reader = energy::parse_reader(row.text(1));
  if (!reader) return unknown_name("reader", row.text(1));
  one.reader = *reader;
  if (!row.is_null(2)) {
    one.source = parse_source(row.text(2));
    if (!one.source) return unknown_name("source", row.text(2));
  }
  one.energy = quantity_at<Joules>(row, 3);
  one.over = Seconds(row.real(4));
  return one;
}

Result<void> add_details(Database& database, EstimatesById& estimates) {
  auto done = add_rows(database, "estimate_budget", estimates,
                       [](EnergyEstimate& estimate, const Statement& row) -> Result<void> {
                         const auto type = row.text(3);
                         const auto cause = uncertainty::parse_cause(
                             row.text(1), type.empty() ? '\0' : type.front());
                         if (!cause) return unknown_name("uncertainty", row.text(1));
                         estimate.budget.push_back({*cause, row.real(2)});
                         return {};
                       });
  if (!done) return done;
  done = add_rows(database, "estimate_naive", estimates,
                  [](EnergyEstimate& estimate, const Statement& row) -> Result<void> {
                    estimate.naive_j[std::string(row.text(1))] = row.real(2);
                    return {};
                  });
  if (!done) return done;
  done = add_rows_if_there(database, "estimate_sources", estimates,
                           [](EnergyEstimate& estimate, const Statement& row) -> Result<void> {
                             const auto source = parse_source(row.text(1));
                             if (!source) return unknown_name("source", row.text(1));
                             estimate.sources.push_back(*source);
                             return {};
                           });
  if (!done) return done;
  done = add_rows_if_there(database, "estimate_readers", estimates,
                           [](EnergyEstimate& estimate, const Statement& row) -> Result<void> {
                             auto reader = reader_of(row);
                             if (!reader) return Unexpected(reader.error());
                             estimate.readers.push_back(*reader);
                             return {};
                           });
  if (!done) return done;
  done = add_rows_if_there(database, "estimate_gain", estimates,
                           [](EnergyEstimate& estimate, const Statement& row) -> Result<void> {
                             set_gain(estimate.energy, row, 1);
                             set_gain(estimate.net_energy, row, 2);
                             return {};
                           });
  if (!done) return done;
  return add_rows(database, "estimate_reasons", estimates,
                  [](EnergyEstimate& estimate, const Statement& row) -> Result<void> {
                    const auto reason = energy::parse_reason(row.text(1));
                    if (!reason) return unknown_name("reason", row.text(1));
                    estimate.reasons.push_back(*reason);
                    return {};
                  });
}

}  // namespace

Result<EstimateWriter> EstimateWriter::prepare(Database& database) {
  EstimateWriter writer;
  const std::array<std::pair<Statement*, std::string_view>, 7> texts = {{
      {&writer.estimate_,
       "INSERT INTO estimates "
       "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&writer.budget_, "INSERT INTO estimate_budget VALUES(?, ?, ?, ?)"},
      {&writer.naive_, "INSERT INTO estimate_naive VALUES(?, ?, ?)"},
      {&writer.source_, "INSERT INTO estimate_sources VALUES(?, ?)"},
      {&writer.reader_, "INSERT INTO estimate_readers VALUES(?, ?, ?, ?, ?)"},
      {&writer.gain_, "INSERT INTO estimate_gain VALUES(?, ?, ?)"},
      {&writer.reason_, "INSERT INTO estimate_reasons VALUES(?, ?)"},
  }};
  for (const auto& [statement, text] : texts) {
    auto prepared = database.prepare(text);
    if (!prepared) return Unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return writer;
}

Result<void> EstimateWriter::append(int device, const EnergyEstimate& estimate) {
  const std::int64_t id = ++count_;
  const auto gross = columns_of(estimate.energy);
  const auto net = columns_of(estimate.net_energy);
  const auto source = estimate.source ? std::optional(to_string(*estimate.source)) : std::nullopt;
  const auto needs = estimate.needs ? std::optional<double>(estimate.needs->count()) : std::nullopt;
  auto done = estimate_.run(id, device, estimate.window.count(), gross.value, gross.lower,
                            gross.upper, gross.level, gross.standard_uncertainty, net.value,
                            net.lower, net.upper, net.level, net.standard_uncertainty,
                            number(estimate.mean_power), number(estimate.baseline), source,
                            estimate.method.code(), estimate.observed_fraction,
                            number(estimate.truth), estimate.valid, estimate.resolved, needs);
  if (done && (estimate.energy || estimate.net_energy)) {
    done = gain_.run(id, gain_of(estimate.energy), gain_of(estimate.net_energy));
  }
  for (const auto& term : estimate.budget) {
    if (!done) return done;
    const char type = uncertainty::type_of(term.cause);
    done = budget_.run(id, uncertainty::code_of(term.cause), term.u, std::string_view(&type, 1));
  }
  for (const auto& [name, joules] : estimate.naive_j) {
    if (!done) return done;
    done = naive_.run(id, name, joules);
  }
  for (const SourceId used : estimate.sources) {
    if (!done) return done;
    done = source_.run(id, to_string(used));
  }
  for (const energy::ReaderEnergy& one : estimate.readers) {
    if (!done) return done;
    const auto read = one.source ? std::optional(to_string(*one.source)) : std::nullopt;
    done =
        reader_.run(id, energy::to_string(one.reader), read, number(one.energy), one.over.count());
  }
  for (const Reason reason : estimate.reasons) {
    if (!done) return done;
    done = reason_.run(id, energy::to_string(reason));
  }
  return done;
}

Result<std::map<std::int64_t, std::vector<EnergyEstimate>>> read_estimates(Database& database) {
  EstimatesById by_id;
  auto done = database.each("SELECT * FROM estimates", [&](const Statement& row) -> Result<void> {
    auto estimate = estimate_of(row);
    if (!estimate) return Unexpected(estimate.error());
    by_id.emplace(row.integer(kId), std::pair(row.integer(kDevice), std::move(*estimate)));
    return {};
  });
  if (done) done = add_details(database, by_id);
  if (!done) return Unexpected(done.error());
  std::map<std::int64_t, std::vector<EnergyEstimate>> by_device;
  for (auto& [id, entry] : by_id) by_device[entry.first].push_back(std::move(entry.second));
  return by_device;
}

}  // namespace truewatt::store
