#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/results/work.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::measure {

/// How much work a command does: so much, or what it writes into a file.
struct WorkAsked {
  std::optional<double> done;
  std::filesystem::path file;  ///< empty: none
  std::string unit = "units";
};

/// "1e6 tokens" and "1e6", of which `unit` is then the unit. Errors: invalid_argument, which name
/// the text. Pure.
Result<energy::Work> parse_work(std::string_view text, const std::string& unit);

/// Looks at the file before the command and after it: what it held before is of another run.
class WorkDone {
 public:
  explicit WorkDone(WorkAsked asked);
  /// What the command did. Errors: unavailable where it did not write the file; those of
  /// parse_work().
  Result<energy::Work> after() const;

 private:
  std::optional<std::filesystem::file_time_type> written() const;

  WorkAsked asked_;
  std::optional<std::filesystem::file_time_type> before_;
};

/// How run files keep it.
store::Metadata metadata_of(const energy::Work& work);
std::optional<energy::Work> work_of(const store::Metadata& metadata);

}  // namespace truewatt::measure
