#include "truewatt/store/estimate_rows.hpp"

#include <array>
#include <string>
#include <utility>

#include "truewatt/store/estimate_details.hpp"

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

}  // namespace

Result<EstimateWriter> EstimateWriter::prepare(Database& database) {
  EstimateWriter writer;
  const std::array<std::pair<Statement*, std::string_view>, 9> texts = {{
      {&writer.estimate_,
       "INSERT INTO estimates "
       "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&writer.budget_, "INSERT INTO estimate_budget VALUES(?, ?, ?, ?)"},
      {&writer.naive_, "INSERT INTO estimate_naive VALUES(?, ?, ?)"},
      {&writer.source_, "INSERT INTO estimate_sources VALUES(?, ?)"},
      {&writer.reader_, "INSERT INTO estimate_readers VALUES(?, ?, ?, ?, ?)"},
      {&writer.gain_, "INSERT INTO estimate_gain VALUES(?, ?, ?)"},
      {&writer.scale_, "INSERT INTO estimate_scale VALUES(?, ?, ?, ?)"},
      {&writer.baseline_, "INSERT INTO estimate_baseline VALUES(?, ?, ?)"},
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
  if (const auto& scale = estimate.scale; done && scale) {
    done = scale_.run(id, scale->gain, scale->offset_w, scale->correlation);
  }
  if (done && estimate.baseline_kind) {
    const auto& rung = estimate.baseline_rung;
    done =
        baseline_.run(id, energy::to_string(*estimate.baseline_kind),
                      rung ? std::optional(std::string(energy::to_string(*rung))) : std::nullopt);
  }
  for (const auto& term : estimate.budget) {
    if (!done) return done;
    const char type = uncertainty::type_of(term.cause);
    done = budget_.run(id, uncertainty::code_of(term.cause), term.u, std::string_view(&type, 1));
  }
  for (const energy::ForeignTerm& term : estimate.foreign.budget) {
    if (!done) return done;
    done = budget_.run(id, term.code, term.u, term.type);
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
  for (const std::string& code : estimate.foreign.reasons) {
    if (!done) return done;
    done = reason_.run(id, code);
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
  if (done) done = add_estimate_details(database, by_id);
  if (!done) return Unexpected(done.error());
  std::map<std::int64_t, std::vector<EnergyEstimate>> by_device;
  for (auto& [id, entry] : by_id) by_device[entry.first].push_back(std::move(entry.second));
  return by_device;
}

}  // namespace truewatt::store
