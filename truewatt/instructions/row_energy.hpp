#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/instructions/results.hpp"
#include "truewatt/microbenchmark/batch.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {

using microbenchmark::Point;

/// What the energies of a row stand on.
struct Standing {
  double idle_u_w = 0.0;  ///< standard uncertainty of idle beneath every kernel alike
  /// Above idle, at the row's share, with what idle errs by beneath the difference to it.
  std::optional<uncertainty::Budget> spin_w;
  double overstated = 1.0;  ///< overstated()
};

/// What energies count from.
enum class Above { nothing, idle, spin };
inline constexpr Above kAllAbove[] = {Above::nothing, Above::idle, Above::spin};

/// How the points of a row scatter around its line, by Above.
using Scatters = std::array<std::optional<uncertainty::Scatter>, std::size(kAllAbove)>;

/// What an instruction costs on one baseline: joules per thread-level instruction, in picojoules,
/// as a budget, so that a partner's can be subtracted.
struct Slopes {
  std::optional<uncertainty::Budget> dynamic_pj;
  std::optional<uncertainty::Budget> above_spin_pj;
  std::optional<uncertainty::Budget> total_pj;
  std::optional<uncertainty::Budget> loop_pj;  ///< the loop's own, of an iteration, above spinning
  double misfit = 0.0;  ///< largest residual of the dynamic line, as a share of its value there
};

/// The energy of one thread's iteration is a + e * copies: a is the loop's own, e the
/// instruction's (docs/method.md, section 14). Fits both to the points of one row and to those of
/// its empty loop, above nothing, above idle, and above what spinning draws, `standing.spin_w`.
/// Fewer than three counts give nothing. `scatters`: how the points scatter, as far as it is known
/// better than from them; else the scatter of earlier points decided how many there are. Pure.
Slopes slopes_of(std::span<const Point> points, std::span<const Point> empty,
                 const Standing& standing, const Scatters& scatters = {});

/// Absent where too few points are left beside the line. Pure.
Scatters scatters_of(std::span<const Point> points, const Standing& standing);

/// By how much readings say that runs may err more than they scatter: the root of what runs' own
/// errors that average out are in mean square, over the residuals of all rows. Both are of all that
/// the board drew. 1 where residuals are larger or fewer than 50 of them are free. Pure.
double overstated(std::span<const std::vector<Point>> rows);

/// 95 % interval in joules, on the sensor's scale.
std::optional<Interval> on_scale_j(const std::optional<uncertainty::Budget>& picojoules);

/// What the readers of the literature make of the same points: each one's slope, by least squares.
std::vector<ReaderRow> reader_rows(std::span<const Point> points, std::span<const Point> empty);

}  // namespace truewatt::instructions
