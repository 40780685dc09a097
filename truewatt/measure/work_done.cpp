#include "truewatt/measure/work_done.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "truewatt/base/parse.hpp"
#include "truewatt/store/text_file.hpp"

namespace truewatt::measure {
namespace {

constexpr const char* kDone = "work_done";
constexpr const char* kUnit = "work_unit";

}  // namespace

Result<energy::Work> parse_work(std::string_view text, const std::string& unit) {
  std::istringstream words{std::string(text)};
  std::string number;
  std::string own;
  std::string more;
  words >> number >> own >> more;
  const auto done = parse_number(number);
  if (!more.empty() || parse_number(own)) {
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("`{} {}{}{}` is not one amount of work; write a number and its unit, such as "
                    "1e6 tokens, and nothing else",
                    number, own, more.empty() ? "" : " ", more));
  }
  if (!done || !(*done > 0)) {
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("`{}` is not an amount of work; give a number above 0, such as 1e6", number));
  }
  return energy::Work{*done, own.empty() ? unit : own};
}

WorkDone::WorkDone(WorkAsked asked) : asked_(std::move(asked)), before_(written()) {}

std::optional<std::filesystem::file_time_type> WorkDone::written() const {
  if (asked_.file.empty()) return std::nullopt;
  std::error_code missing;
  const auto time = std::filesystem::last_write_time(asked_.file, missing);
  return missing ? std::nullopt : std::optional(time);
}

Result<energy::Work> WorkDone::after() const {
  if (asked_.done) return energy::Work{*asked_.done, asked_.unit};
  const auto now = written();
  if (!now || now == before_) {
    return Unexpected(Errc::unavailable,
                      fmt::format("--done-file {}: the command did not write it; it should hold "
                                  "the work done, such as 1e6 tokens",
                                  asked_.file.string()));
  }
  const auto text = store::read_text_file(asked_.file);
  if (!text) return Unexpected(text.error());
  auto work = parse_work(*text, asked_.unit);
  if (work) return work;
  return Unexpected(work.error().code,
                    fmt::format("--done-file {}: {}", asked_.file.string(), work.error().message));
}

store::Metadata metadata_of(const energy::Work& work) {
  return {{kDone, fmt::format("{}", work.done)}, {kUnit, work.unit}};
}

std::optional<energy::Work> work_of(const store::Metadata& metadata) {
  const auto done = metadata.find(kDone);
  const auto unit = metadata.find(kUnit);
  if (done == metadata.end() || unit == metadata.end()) return std::nullopt;
  const auto work = parse_work(done->second, "");
  if (!work) return std::nullopt;
  return energy::Work{work->done, unit->second};
}

}  // namespace truewatt::measure
