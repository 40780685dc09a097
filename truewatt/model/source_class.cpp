#include "truewatt/model/source_class.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt {
namespace {

/// The code is stable: profiles have it.
struct ClassRow {
  std::string_view code;
};

// The compiler names the enumerator that has no row here.
constexpr ClassRow verdict_row(SourceVerdict one) {
  switch (one) {
    case SourceVerdict::complete:
      return {"complete"};
    case SourceVerdict::part_time:
      return {"part-time"};
    case SourceVerdict::trailing:
      return {"trailing"};
    case SourceVerdict::unusable:
      return {"unusable"};
  }
  return {};
}
constexpr auto kVerdicts = rows_of<SourceVerdict, verdict_row>();

constexpr ClassRow response_row(ResponseClass one) {
  switch (one) {
    case ResponseClass::instant:
      return {"instant"};
    case ResponseClass::ramp:
      return {"ramp"};
    case ResponseClass::exponential:
      return {"exponential"};
    case ResponseClass::estimated:
      return {"estimated"};
  }
  return {};
}
constexpr auto kResponses = rows_of<ResponseClass, response_row>();

constexpr ClassRow counting_row(Counting one) {
  switch (one) {
    case Counting::all:
      return {"all"};
    case Counting::gap:
      return {"gap"};
    case Counting::sampled:
      return {"sampled"};
    case Counting::unresolved:
      return {"unresolved"};
  }
  return {};
}
constexpr auto kCountings = rows_of<Counting, counting_row>();

constexpr ClassRow protocol_row(PublishedProtocol one) {
  switch (one) {
    case PublishedProtocol::yang:
      return {"yang"};
    case PublishedProtocol::burtscher:
      return {"burtscher"};
  }
  return {};
}
constexpr auto kProtocols = rows_of<PublishedProtocol, protocol_row>();

}  // namespace

std::string_view to_string(SourceVerdict verdict) { return row_of(kVerdicts, verdict).code; }
std::optional<SourceVerdict> parse_source_verdict(std::string_view code) {
  return find_code<SourceVerdict>(kVerdicts, code);
}

std::string_view to_string(ResponseClass response) { return row_of(kResponses, response).code; }
std::optional<ResponseClass> parse_response_class(std::string_view code) {
  return find_code<ResponseClass>(kResponses, code);
}

std::string_view to_string(Counting counting) { return row_of(kCountings, counting).code; }
std::optional<Counting> parse_counting(std::string_view code) {
  return find_code<Counting>(kCountings, code);
}

std::string_view to_string(PublishedProtocol protocol) { return row_of(kProtocols, protocol).code; }
std::optional<PublishedProtocol> parse_published_protocol(std::string_view code) {
  return find_code<PublishedProtocol>(kProtocols, code);
}

}  // namespace truewatt
