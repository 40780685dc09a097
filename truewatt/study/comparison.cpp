#include "truewatt/study/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "truewatt/energy/ratio.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/store/run_file.hpp"
#include "truewatt/study/session.hpp"

namespace truewatt::study {
namespace {

/// Two things whose ratio lies within this of 1 are alike, where nobody said how well to know it.
constexpr double kAlikeRatio = 0.02;
/// A forecast of more rounds than this says nothing but "many".
constexpr int kMostRounds = 100000;

using energy::EnergyInterval;

/// Mean of the runs' totals. Their gain is one and does not average out.
std::optional<EnergyInterval> mean_of(const std::vector<EnergyRun>& runs,
                                      std::optional<EnergyInterval> EnergyTotal::*member) {
  std::vector<double> values;
  for (const EnergyRun& run : runs) {
    if (!(run.total.*member)) return std::nullopt;
    values.push_back((run.total.*member)->interval.value);
  }
  const auto summary = numerics::summarize(values);
  if (!summary) return std::nullopt;
  const EnergyInterval& first = *(runs.front().total.*member);
  const double squares = first.standard_uncertainty * first.standard_uncertainty -
                         first.gain_uncertainty * first.gain_uncertainty;
  const double readings =
      summary->count > 1 ? summary->standard_error() : std::sqrt(std::max(0.0, squares));
  const double sd = numerics::quadrature({readings, first.gain_uncertainty});
  return EnergyInterval{interval95({summary->mean, sd}), sd, first.gain_uncertainty};
}

std::optional<Joules> truth_of(const std::vector<EnergyRun>& runs) {
  double sum = 0.0;
  for (const EnergyRun& run : runs) {
    for (const energy::EnergyEstimate& device : run.devices) {
      if (!device.truth) return std::nullopt;
      sum += device.truth->value();
    }
  }
  return Joules(sum / static_cast<double>(runs.size()));
}

ComparedSide side_of(std::vector<EnergyRun> runs) {
  ComparedSide side{.runs = std::move(runs)};
  side.mean = {mean_of(side.runs, &EnergyTotal::energy),
               mean_of(side.runs, &EnergyTotal::net_energy)};
  if (!side.runs.empty()) side.truth = truth_of(side.runs);
  return side;
}

double half_width(const energy::EnergyRatio& ratio) {
  return (ratio.ratio.upper - ratio.ratio.lower) / 2 / ratio.ratio.value;
}

/// How many rounds narrow the ratio's interval to the target: its scatter shrinks with their root,
/// the other terms stay.
std::optional<int> rounds_for(const energy::EnergyRatio& ratio, std::size_t rounds, double target) {
  double scatter = 0.0;
  double rest = 0.0;
  for (const energy::RatioTerm& term : ratio.budget) {
    (term.term == "scatter" ? scatter : rest) += term.relative * term.relative;
  }
  const double wanted = target / kCoverageFactor95;
  const double left = wanted * wanted - rest;
  if (rounds < 2 || !(left > 0)) return std::nullopt;
  const double needed = std::ceil(static_cast<double>(rounds) * scatter / left);
  if (!(needed < kMostRounds)) return std::nullopt;
  return std::max(kFewestRounds, static_cast<int>(needed));
}

RatioVerdict verdict_of(const std::optional<energy::EnergyRatio>& ratio, double alike) {
  if (!ratio) return RatioVerdict::undecided;
  if (ratio->ratio.upper < 1) return RatioVerdict::less;
  if (ratio->ratio.lower > 1) return RatioVerdict::more;
  const bool within = ratio->ratio.lower >= 1 - alike && ratio->ratio.upper <= 1 + alike;
  return within ? RatioVerdict::alike : RatioVerdict::undecided;
}

/// Both sides in turns until enough is known. `measure(side)` runs one of them.
class Turns {
 public:
  using Run = std::function<Result<EnergyRun>(std::size_t side)>;

  Turns(Clock& clock, const CompareOptions& options) : clock_(clock), options_(options) {}

  Result<EnergyComparison> play(const Run& run) {
    const HostTime begin = clock_.now();
    const std::stop_token& stop = options_.measure.stop;
    while (!stop.stop_requested() && !is_enough(Seconds(clock_.now() - begin))) {
      const std::size_t first = sides_[0].size() % 2;
      for (const std::size_t side : {first, 1 - first}) {
        say(options_.measure.progress, share_done(), progress_text());
        auto one = run(side);
        if (!one) return Unexpected(one.error());
        if (stop.stop_requested()) break;  // what was cut short is no run
        sides_[side].push_back(std::move(*one));
      }
    }
    EnergyComparison compared = comparison_of(sides_[0], sides_[1], options_.target);
    if (stop.stop_requested()) {
      compared.valid = false;
      compared.reasons.push_back(energy::Reason::interrupted);
    }
    return compared;
  }

 private:
  int rounds() const { return static_cast<int>(sides_[1].size()); }

  bool is_enough(Seconds elapsed) const {
    if (options_.rounds) return rounds() >= *options_.rounds;
    if (rounds() < kFewestRounds) return false;
    const auto ratio = comparison_of(sides_[0], sides_[1], options_.target).gross;
    if (!ratio || half_width(*ratio) <= options_.target) return true;
    return elapsed * (1.0 + 1.0 / rounds()) > options_.budget;
  }

  std::optional<double> share_done() const {
    if (!options_.rounds) return std::nullopt;
    return static_cast<double>(rounds()) / *options_.rounds;
  }

  std::string progress_text() const {
    return fmt::format("round {}{}", rounds() + 1,
                       options_.rounds ? fmt::format(" of {}", *options_.rounds) : "");
  }

  Clock& clock_;
  const CompareOptions& options_;
  std::array<std::vector<EnergyRun>, 2> sides_;
};

Result<EnergyRun> runs_of_file(const std::filesystem::path& path) {
  auto file = store::read_run_file(path);
  if (!file) return Unexpected(file.error());
  EnergyRun run;
  for (const auto& [key, value] : file->metadata) {
    if (key == "load") run.load = value;
    if (key == "tool_version") run.tool_version = value;
  }
  for (store::DeviceRun& device : file->devices) {
    for (energy::EnergyEstimate& estimate : device.estimates) {
      run.devices.push_back(std::move(estimate));
    }
  }
  if (run.devices.empty()) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("{} holds no estimate: it was cut short, or is no measurement's; "
                                  "truewatt analyze says what its readings tell",
                                  path.string()));
  }
  run.total = total_of(run.devices);
  return run;
}

}  // namespace

EnergyComparison comparison_of(std::vector<EnergyRun> a, std::vector<EnergyRun> b,
                               std::optional<double> target) {
  EnergyComparison result;
  result.tool_version = TRUEWATT_VERSION;
  result.target = target;
  std::vector<energy::RunPair> pairs;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    pairs.push_back({a[i].devices, b[i].devices});
  }
  result.gross = energy_ratio(pairs, energy::Quantity::gross);
  result.net = energy_ratio(pairs, energy::Quantity::net);
  result.valid = true;
  for (const std::vector<EnergyRun>* runs : {&a, &b}) {
    for (const EnergyRun& run : *runs) {
      for (const energy::EnergyEstimate& device : run.devices) {
        result.valid = result.valid && device.valid;
        for (const energy::Reason reason : device.reasons) {
          const bool cancels = reason == energy::Reason::uncalibrated_gain && result.gross &&
                               result.gross->gain_cancels;
          auto& reasons = result.reasons;
          const bool there = std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
          if (!cancels && !there) reasons.push_back(reason);
        }
      }
    }
  }
  result.verdict = verdict_of(result.gross, target.value_or(kAlikeRatio));
  if (result.gross && target && half_width(*result.gross) > *target) {
    result.needs_rounds = rounds_for(*result.gross, pairs.size(), *target);
  }
  result.a = side_of(std::move(a));
  result.b = side_of(std::move(b));
  if (result.a.truth && result.b.truth && result.a.truth->value() > 0) {
    result.truth = result.b.truth->value() / result.a.truth->value();
  }
  return result;
}

Result<EnergyComparison> compare_loads(DeviceSet& set, const load::Schedule& a,
                                       const load::Schedule& b, const Environment& environment,
                                       const CompareOptions& options) {
  const std::array<const load::Schedule*, 2> schedules = {&a, &b};
  MeasureOptions quiet = options.measure;
  quiet.progress = {};
  auto compared = Turns(*set.clock, options).play([&](std::size_t side) -> Result<EnergyRun> {
    auto measured = measure(set, *schedules[side], environment, quiet);
    if (!measured) return Unexpected(measured.error());
    return std::move(measured->run);
  });
  if (!compared) return compared;
  compared->a.what = a.spec;
  compared->b.what = b.spec;
  compared->notes = set.notes;
  return compared;
}

Result<EnergyComparison> compare_commands(DeviceSet& set, const std::vector<std::string>& a,
                                          const std::vector<std::string>& b,
                                          const Environment& environment,
                                          const CompareOptions& options) {
  const std::array<const std::vector<std::string>*, 2> commands = {&a, &b};
  CommandOptions one{.measure = options.measure};
  one.measure.progress = {};
  auto compared = Turns(*set.clock, options).play([&](std::size_t side) -> Result<EnergyRun> {
    const auto& argv = *commands[side];
    auto measured = run_command(set, argv, environment, one);
    if (!measured) return Unexpected(measured.error());
    const int code = measured->run.command->exit_code;
    if (code == 0) return std::move(measured->run);
    return Unexpected(Errc::io, fmt::format("{} ended with exit code {}: what it took is not what "
                                            "was asked for",
                                            fmt::join(argv, " "), code));
  });
  if (!compared) return compared;
  compared->a.what = fmt::format("{}", fmt::join(a, " "));
  compared->b.what = fmt::format("{}", fmt::join(b, " "));
  compared->notes = set.notes;
  return compared;
}

Result<EnergyComparison> compare_run_files(const std::filesystem::path& a,
                                           const std::filesystem::path& b) {
  auto first = runs_of_file(a);
  if (!first) return Unexpected(first.error());
  auto second = runs_of_file(b);
  if (!second) return Unexpected(second.error());
  std::vector<EnergyRun> of_a;
  of_a.push_back(std::move(*first));
  std::vector<EnergyRun> of_b;
  of_b.push_back(std::move(*second));
  EnergyComparison compared = comparison_of(std::move(of_a), std::move(of_b), std::nullopt);
  compared.a.what = a.string();
  compared.b.what = b.string();
  return compared;
}

}  // namespace truewatt::study
