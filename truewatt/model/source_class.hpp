#pragma once

#include <optional>
#include <string_view>

namespace truewatt {

/// How much of the time a source looks at, in one word.
enum class SourceVerdict {
  complete,   ///< all of it
  part_time,  ///< a part of every update
  trailing,   ///< more than one update, so that its readings come late
  unusable,   ///< nothing can be measured with it
  last_ = unusable,
};
std::string_view to_string(SourceVerdict verdict);
std::optional<SourceVerdict> parse_source_verdict(std::string_view code);

/// How a source's readings answer a step of power.
enum class ResponseClass {
  instant,      ///< the next reading is at the new power
  ramp,         ///< they climb in a line, as an average over a window does
  exponential,  ///< they climb ever more slowly, as behind a capacitor
  estimated,    ///< they are computed from the work, not measured
  last_ = estimated,
};
std::string_view to_string(ResponseClass response);
std::optional<ResponseClass> parse_response_class(std::string_view code);

/// How an energy counter comes by its increments.
enum class Counting {
  all,         ///< integrates all of the time
  gap,         ///< does not look for a part of every period and charges it by the next value
  sampled,     ///< adds up readings, each of which looks back for the averaging window
  unresolved,  ///< its increments do not show how
  last_ = unresolved,
};
std::string_view to_string(Counting counting);
std::optional<Counting> parse_counting(std::string_view code);

/// A paper whose own procedures made a profile. Their intervals are standard errors.
enum class PublishedProtocol {
  yang,       ///< Yang, Adamek, Armour (SC'24)
  burtscher,  ///< Burtscher, Zecena, Zong (GPGPU-7, 2014)
  last_ = burtscher,
};
std::string_view to_string(PublishedProtocol protocol);
std::optional<PublishedProtocol> parse_published_protocol(std::string_view code);

}  // namespace truewatt
