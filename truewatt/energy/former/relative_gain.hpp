#pragma once

#include "truewatt/energy/former/source_view.hpp"

namespace truewatt::energy {

/// What is known before any reading of how one source's readings are made of another's:
/// P + (ratio - 1) pivot + (gain - 1)(P - pivot), with normal errors that are independent.
struct RelativeGain {
  double gain = 1.0;
  double gain_sd = 0.0;
  double offset_w = 0.0;  ///< of the readings at the pivot, (ratio - 1) pivot
  double offset_sd = 0.0;
  double pivot_w = 0.0;  ///< of the first source; 0: offset and gain are those of a straight line
};

/// Of `view` over `believed`, of what is known of each by itself. Pure.
RelativeGain stated_gain(const SourceView& believed, const SourceView& view);

/// Of `view` over `believed`. Where a characterization held the energy of one against that of the
/// other and nobody held either against a meter, the two read the same at the mean power of that
/// experiment, to its uncertainty; what they do elsewhere is left to the readings. Else the
/// stated one (docs/method.md, section 6, "Relative gain"). Pure.
RelativeGain relative_gain(const SourceView& believed, const SourceView& view);

}  // namespace truewatt::energy
