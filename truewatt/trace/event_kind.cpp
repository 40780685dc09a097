#include "truewatt/trace/event_kind.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt {
namespace {

struct EventRow {
  std::string_view code;
};

/// The compiler names the enumerator that has no row here.
constexpr EventRow event_row(EventKind kind) {
  switch (kind) {
    case EventKind::gpu_lost:
      return {"gpu_lost"};
    case EventKind::clock_step:
      return {"clock_step"};
    case EventKind::realtime_step:
      return {"realtime_step"};
    case EventKind::queue_overflow:
      return {"queue_overflow"};
    case EventKind::samples_lost:
      return {"samples_lost"};
    case EventKind::driver_hangs:
      return {"driver_hangs"};
    case EventKind::driver_slow:
      return {"driver_slow"};
    case EventKind::answers_refused:
      return {"answers_refused"};
    case EventKind::mig_instance:
      return {"mig_instance"};
    case EventKind::source_refused:
      return {"source_refused"};
    case EventKind::warm_up_began:
      return {"warm_up_began"};
    case EventKind::warm_up_ended:
      return {"warm_up_ended"};
  }
  return {};
}
constexpr auto kEvents = rows_of<EventKind, event_row>();

}  // namespace

std::string_view to_string(EventKind kind) { return row_of(kEvents, kind).code; }
std::optional<EventKind> parse_event_kind(std::string_view code) {
  return find_code<EventKind>(kEvents, code);
}

}  // namespace truewatt
