#include "truewatt/store/workload_list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "truewatt/store/text_file.hpp"

namespace truewatt::store {
namespace {

using WorkloadJson = nlohmann::json;

std::string word_of(const WorkloadJson& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Workload> workload_of(const WorkloadJson& entry, const std::string& origin,
                             const std::filesystem::path& folder) {
  const auto refusal = [&origin](const std::string& what) {
    return Unexpected(Error{Errc::parse, fmt::format("{}: {}", origin, what)});
  };
  if (!entry.is_object()) return refusal("an entry is not an object");
  Workload workload{.name = word_of(entry, "name"),
                    .title = word_of(entry, "title"),
                    .paper = word_of(entry, "paper"),
                    .what = word_of(entry, "what"),
                    .folder = folder};
  if (workload.name.empty()) return refusal("an entry has no name");
  if (workload.title.empty()) workload.title = workload.name;
  const auto command = entry.find("command");
  if (command == entry.end() || !command->is_array() || command->empty()) {
    return refusal(fmt::format("{} has no command, a list of words", workload.name));
  }
  for (const WorkloadJson& word : *command) {
    if (!word.is_string()) return refusal(fmt::format("a word of {} is not a text", workload.name));
    workload.command.push_back(word.get<std::string>());
  }
  return workload;
}

}  // namespace

Result<std::vector<Workload>> read_workloads(std::string_view text, const std::string& origin,
                                             const std::filesystem::path& folder) {
  const WorkloadJson list = WorkloadJson::parse(text, nullptr, false);
  if (!list.is_array()) {
    return Unexpected(Error{Errc::parse, origin + " is not a JSON list of workloads"});
  }
  std::vector<Workload> workloads;
  for (const WorkloadJson& entry : list) {
    auto workload = workload_of(entry, origin, folder);
    if (!workload) return Unexpected(workload.error());
    workloads.push_back(std::move(*workload));
  }
  return workloads;
}

Result<std::vector<Workload>> find_workloads(const std::filesystem::path& folder) {
  const std::filesystem::path list = folder / kWorkloadList;
  const auto text = read_text_file(list);
  if (!text) return Unexpected(text.error());
  return read_workloads(*text, list.string(), folder);
}

}  // namespace truewatt::store
