#pragma once

namespace truewatt::energy {

/// What a look shows of a step of 1 that came `age` seconds before its end: a mean over `window`
/// behind a first-order filter, s, either of them 0 where there is none. Pure.
double shown_of_step(double window, double time_constant, double age);

/// From 10 to 90 % of that, s. Pure.
double rise_of_look(double window, double time_constant);

}  // namespace truewatt::energy
