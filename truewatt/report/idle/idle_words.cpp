#include "truewatt/report/idle/idle_words.hpp"

#include <fmt/format.h>

#include "truewatt/base/format.hpp"

namespace truewatt::report {
namespace {

constexpr double kHertzOfMHz = 1e6;

std::string_view explain(idle::Reason reason) {
  switch (reason) {
    case idle::Reason::other_context:
      return "another process seems to hold a context";
    case idle::Reason::other_work:
      return "another process worked meanwhile";
    case idle::Reason::not_settled:
      return "the power still moved at the end";
    case idle::Reason::clock_moved:
      return "the SM clock moved meanwhile";
    case idle::Reason::no_energy:
      return "the readings give no power";
    case idle::Reason::cannot_sleep:
      return "threads cannot sleep on this device";
    case idle::Reason::not_reached:
      break;
  }
  return "it had no turn";
}

}  // namespace

std::string_view name_of(idle::Rung rung) {
  switch (rung) {
    case idle::Rung::bare:
      return "bare";
    case idle::Rung::context:
      return "with a context";
    case idle::Rung::active:
      return "just after work";
    case idle::Rung::resident:
      return "resident";
    case idle::Rung::spinning:
      break;
  }
  return "spinning";
}

std::string_view meaning_of(idle::Rung rung) {
  switch (rung) {
    case idle::Rung::bare:
      return "no CUDA context";
    case idle::Rung::context:
      return "a CUDA context, nothing runs, the board at rest";
    case idle::Rung::active:
      return "a CUDA context, 0.3 to 2.5 s after work; settled is when the board was at rest";
    case idle::Rung::resident:
      return "a warp on every multiprocessor, whose threads sleep";
    case idle::Rung::spinning:
      break;
  }
  return "a thread on every multiprocessor, in a loop without data";
}

std::string reasons_text(const idle::Row& row) {
  std::string text;
  for (const idle::Reason reason : row.reasons) {
    if (!text.empty()) text += "; ";
    text += explain(reason);
  }
  return text;
}

std::string clock_text(const std::optional<double>& hertz) {
  return hertz ? fmt::format("{:.0f} MHz", *hertz / kHertzOfMHz) : "-";
}

std::string watts_text(const std::optional<Interval>& watts) {
  if (!watts) return "-";
  std::string text = format_interval(*watts, "W");
  text = text.substr(0, text.find(" ("));
  // What rounds to 0 has no sign.
  const bool is_zero = text.find_first_of("123456789") > text.find(' ');
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string settled_text(const idle::Row& row) {
  if (!row.settled) return "-";
  constexpr double kAtOnce = 0.01;  // s
  if (row.settled->count() < kAtOnce) return "at once";
  return fmt::format("{:.1f} s", row.settled->count());
}

}  // namespace truewatt::report
