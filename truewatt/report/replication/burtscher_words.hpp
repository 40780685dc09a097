#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "truewatt/model/profile.hpp"

namespace truewatt::report {

/// A table of a profile by Burtscher 2014: sources in rows, what that paper published of its K20c
/// last where a source of the profile has a capacitor too.
struct ProtocolTable {
  std::string caption;
  std::vector<std::string> names;  ///< of the columns
  std::vector<std::string> units;  ///< below them; may be empty
  std::vector<std::vector<std::string>> rows;
};

/// Sensor, levels and times, energies.
std::vector<ProtocolTable> burtscher_tables(const Profile& profile);

/// What a reason code of a profile by Burtscher 2014 means; "" for one that only other profiles
/// have.
std::string_view explain_burtscher_reason(const Coded<ProfileReason>& reason);

/// `code` and the sources that have it, and what it means.
struct ProtocolReason {
  std::string code;
  std::string sources;
  std::string sentence;
};
/// The profile's reasons, each once, that there is a sentence for.
std::vector<ProtocolReason> burtscher_reasons(const Profile& profile);

}  // namespace truewatt::report
