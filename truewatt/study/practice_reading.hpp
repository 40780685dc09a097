#pragma once

#include "truewatt/energy/readers/good_practice.hpp"
#include "truewatt/energy/readers/reader.hpp"
#include "truewatt/study/device_set.hpp"
#include "truewatt/study/repetition_design.hpp"

namespace truewatt::study {

/// Paper 000's practice for the source that readers take of this device; as if that looked all the
/// time where nothing is known of it.
energy::GoodPractice practice_for(const Device& device);

/// Readings of a trial by that practice, as an energy of all its executions; the recording's first
/// window is the trial's. Pure.
energy::ReaderEnergy read_by_practice(const Recording& recording, const RepetitionDesign& design,
                                      Seconds execution, int executions,
                                      const energy::GoodPractice& practice);

}  // namespace truewatt::study
