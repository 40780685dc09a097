#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/model/catalogue.hpp"

namespace truewatt::catalogue {

/// One board of Yang 2024's Fig. 9: sensor = gain * power + offset against an external meter, over
/// levels from idle to full load.
struct MeteredBoard {
  std::string_view board;  ///< as labelled there
  std::string_view model;  ///< as find_product() names it
  Family family = Family::gh200;
  double gain = 1.0;
  Watts offset{0};
  std::string_view excluded;  ///< why it is left out of the spread; "" when it is in
};
/// All 19 boards, as the figure's own numbers have them.
std::span<const MeteredBoard> metered_boards();

/// How one quantity scatters over boards.
struct Spread {
  std::size_t count = 0;
  double mean = 0.0;
  double standard_deviation = 0.0;  ///< with count - 1
  double median = 0.0;
  double robust_sd = 0.0;      ///< from the median absolute deviation
  double about_nominal = 0.0;  ///< root mean square about a gain of 1 or an offset of 0
};

/// Scatter of the boards of Fig. 9. Boards of one model scatter as much as boards of different
/// models (five RTX 3090: 0.945 to 1.017), so there is one spread for all.
struct BoardSpread {
  Spread gain;
  Spread offset_w;
  double correlation = 0.0;  ///< of gain and offset, about their means
  std::vector<std::string_view> excluded;
};
BoardSpread board_spread();

/// What is known of a board that nobody has held against a meter: a type-B prior (GUM 4.3).
struct BoardPrior {
  Uncertain gain{1.0, 0.0};
  Uncertain offset_w{0.0, 0.0};
  double correlation = 0.0;  ///< of the two about their nominal values
};

/// The prior from Fig. 9: centred on the nominal 1 and 0, as the means (0.991 and -1.0 W) lie
/// within about a standard error of them, with the root mean square about these, widened by
/// Student's t for the number of boards, so that 1.96 of it cover 95 %. Errors of the meter (1.1 %
/// of the power) are part of the scatter and make it too wide rather than too narrow. A high gain
/// tends to come with a low offset: in the middle of a board's range they partly cancel.
BoardPrior board_prior();

}  // namespace truewatt::catalogue
