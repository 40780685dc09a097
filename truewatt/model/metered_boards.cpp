#include "truewatt/model/metered_boards.hpp"

#include <array>
#include <cmath>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::catalogue {
namespace {

constexpr MeteredBoard board(std::string_view label, std::string_view model, Family family,
                             double gain_error_percent, Watts offset) {
  return {label, model, family, 1.0 + gain_error_percent / 100, offset, {}};
}

constexpr MeteredBoard swapped(MeteredBoard board) {
  board.excluded =
      "gain and offset look swapped in the figure: the spreadsheet has 1.0254 and -2.59 W";
  return board;
}

constexpr std::array kBoards = {
    board("RTX 3090 #1", "RTX 3090", Family::ampere, -5.493, Watts(3.47)),
    board("RTX 3090 #2", "RTX 3090", Family::ampere, -0.65, Watts(-1.66)),
    board("RTX 3090 #3", "RTX 3090", Family::ampere, -1.77, Watts(3.92)),
    board("RTX 3090 #4", "RTX 3090", Family::ampere, 1.48, Watts(-5.07)),
    board("RTX 3090 #5", "RTX 3090", Family::ampere, 1.72, Watts(-8.53)),
    board("RTX 4090", "RTX 4090", Family::ada, 4.45, Watts(-12.35)),
    board("RTX 3070 Ti", "RTX 3070 Ti", Family::ampere, 0.39, Watts(-4.80)),
    board("RTX 2080 Ti", "RTX 2080 Ti", Family::turing, -3.34, Watts(-5.80)),
    board("RTX 2060 S", "RTX 2060 SUPER", Family::turing, -1.30, Watts(11.85)),
    swapped(board("TITAN Xp", "TITAN Xp", Family::pascal, -2.59, Watts(2.54))),
    board("GTX 1080 Ti", "GTX 1080 Ti", Family::pascal, -0.12, Watts(-0.33)),
    board("GTX 1080", "GTX 1080", Family::pascal, 6.36, Watts(-5.16)),
    board("TITAN X", "GTX TITAN X", Family::maxwell_2, 1.06, Watts(1.23)),
    board("RTX A5000", "RTX A5000", Family::ampere, -9.50, Watts(8.76)),
    board("A100-40G", "A100", Family::ga100, -4.58, Watts(-1.21)),
    board("P100", "P100", Family::pascal, -0.72, Watts(0.88)),
    board("M40", "M40", Family::maxwell_2, -2.87, Watts(1.45)),
    board("K80", "K80", Family::kepler_2, -3.63, Watts(-6.29)),
    board("K40m", "K40", Family::kepler_1, 2.41, Watts(0.81)),
};

/// Sum of products of the deviations from two centres.
struct Centred {
  const std::vector<double>& values;
  double center;
};
double product_sum(const Centred& a, const Centred& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    sum += (a.values[i] - a.center) * (b.values[i] - b.center);
  }
  return sum;
}

double correlation_of(const Centred& a, const Centred& b) {
  return product_sum(a, b) / std::sqrt(product_sum(a, a) * product_sum(b, b));
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Spread spread_of(const std::vector<double>& values, double nominal) {
  const auto count = static_cast<double>(values.size());
  const Centred about_mean{values, mean_of(values)};
  const Centred about_nominal{values, nominal};
  return {.count = values.size(),
          .mean = about_mean.center,
          .standard_deviation = std::sqrt(product_sum(about_mean, about_mean) / (count - 1)),
          .median = numerics::median(values).value_or(nominal),
          .robust_sd = numerics::robust_sd(values).value_or(0.0),
          .about_nominal = std::sqrt(product_sum(about_nominal, about_nominal) / count)};
}

struct Columns {
  std::vector<double> gains;
  std::vector<double> offsets_w;
};
Columns included_columns() {
  Columns columns;
  for (const MeteredBoard& metered : kBoards) {
    if (!metered.excluded.empty()) continue;
    columns.gains.push_back(metered.gain);
    columns.offsets_w.push_back(metered.offset.value());
  }
  return columns;
}

}  // namespace

std::span<const MeteredBoard> metered_boards() { return kBoards; }

BoardSpread board_spread() {
  const auto [gains, offsets] = included_columns();
  BoardSpread spread;
  spread.gain = spread_of(gains, 1.0);
  spread.offset_w = spread_of(offsets, 0.0);
  spread.correlation = correlation_of({gains, spread.gain.mean}, {offsets, spread.offset_w.mean});
  for (const MeteredBoard& metered : kBoards) {
    if (!metered.excluded.empty()) spread.excluded.push_back(metered.board);
  }
  return spread;
}

BoardPrior board_prior() {
  const auto [gains, offsets] = included_columns();
  const BoardSpread spread = board_spread();
  // About a given centre there are as many degrees of freedom as boards.
  const double widening = numerics::student_widening(static_cast<double>(spread.gain.count));
  return {.gain = {1.0, widening * spread.gain.about_nominal},
          .offset_w = {0.0, widening * spread.offset_w.about_nominal},
          .correlation = correlation_of({gains, 1.0}, {offsets, 0.0})};
}

}  // namespace truewatt::catalogue
