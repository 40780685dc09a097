#pragma once

#include "truewatt/energy/observe/observed_board.hpp"

/// When a board was looked at (docs/method.md, section 8). Pure functions.
namespace truewatt::energy {

/// Sets when some source of the board looked, and where only a counter's sum tells of it.
void note_read_time(ObservedBoard& board);

}  // namespace truewatt::energy
