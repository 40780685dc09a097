#pragma once

namespace truewatt::report {

struct TextOptions {
  bool colour = false;   ///< ANSI colours, for a terminal
  bool verbose = false;  ///< uncertainty budget, device details, every window of an analysis
  int width = 80;        ///< columns to wrap sentences at, 40 or more
};

}  // namespace truewatt::report
