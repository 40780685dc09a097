#pragma once

#include <optional>
#include <span>

namespace truewatt::uncertainty {

/// How runs scatter around a fit: mean square of the residuals, and how many of them are free.
struct Scatter {
  double variance = 0.0;
  double freedom = 0.0;
};

/// What many fits of alike runs tell of how such runs scatter: an estimate of the variance, worth
/// so many degrees of freedom (Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004) 3, section 6.2: the
/// variances of the fits as draws from a scaled inverse chi-square, by the moments of their
/// logarithms). Fits that scatter as one in a thousand of them would are of another kind and not
/// counted.
/// Nothing from fewer than five fits. Pure.
std::optional<Scatter> common_scatter(std::span<const Scatter> fits);

/// Whether one in a thousand fits of the common kind scatters as much. Pure.
bool is_of_another_kind(const Scatter& fit, const Scatter& common);

/// A fit's own scatter and the common one together, each worth its degrees of freedom (ibid., eq.
/// for the posterior variance). Own scatter of another kind stays alone.
/// Pure.
Scatter moderated(const Scatter& own, const std::optional<Scatter>& common);

}  // namespace truewatt::uncertainty
