#include "truewatt/cli/count_with_ncu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "truewatt/capture/quiet_command.hpp"
#include "truewatt/counters/ncu/ncu_command.hpp"
#include "truewatt/counters/ncu/ncu_counters.hpp"
#include "truewatt/counters/ncu/ncu_csv.hpp"

namespace truewatt::cli {
namespace {

namespace fs = std::filesystem;

/// A folder of ours alone, which goes with its files.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "truewatt-XXXXXX").string();
    if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> places_of_ncu() {
  std::vector<fs::path> places;
  const char* path = secure_getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty()) places.emplace_back(fs::path(folder) / "ncu");
  }
  if (const char* cuda = secure_getenv("CUDA_HOME")) places.push_back(fs::path(cuda) / "bin/ncu");
  places.emplace_back("/usr/local/cuda/bin/ncu");
  std::error_code error;
  std::vector<fs::path> versions;
  for (const auto& version : fs::directory_iterator("/opt/nvidia/nsight-compute", error)) {
    versions.push_back(version.path() / "ncu");
  }
  std::sort(versions.rbegin(), versions.rend());  // the newest first
  places.insert(places.end(), versions.begin(), versions.end());
  return places;
}

std::optional<std::string> find_ncu() {
  const std::vector<fs::path> places = places_of_ncu();
  const auto found = std::find_if(places.begin(), places.end(), is_program);
  return found == places.end() ? std::nullopt : std::optional(found->string());
}

Result<fs::path> path_of_this_program() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Unexpected(Errc::io, "/proc/self/exe cannot be read: where this program lies");
  return self;
}

std::vector<std::string> command_of(const std::string& ncu, const std::string& self,
                                    const std::string& uuid, const memory::CountedPlan& plan,
                                    const std::string& log_file) {
  return counters::ncu::ncu_command(
      {.ncu = ncu,
       .metrics = counters::ncu::ncu_metrics(plan.compute_capability),
       .log_file = log_file,
       .marked = true,
       .program = {self, "memory", "-q", "-d", uuid, kLaunchCounted, text_of(plan)}});
}

/// As a shell takes it for one word.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char one : word) {
    if (one == '\'') {
      quoted += "'\\''";
    } else {
      quoted += one;
    }
  }
  return quoted + "'";
}

Result<std::unique_ptr<counters::Counters>> count(const std::string& uuid,
                                                  const memory::CountedPlan& plan,
                                                  const std::stop_token& stop) {
  const auto ncu = find_ncu();
  if (!ncu) {
    return Unexpected(Errc::unavailable,
                      "there is no ncu (Nsight Compute) either; install one of the two");
  }
  const PrivateFolder folder;
  if (folder.path().empty()) {
    return Unexpected(Errc::io, "no folder could be made for ncu's table; set TMPDIR");
  }
  const auto self = path_of_this_program();
  if (!self) return Unexpected(self.error());
  const fs::path table = folder.path() / "ncu.csv";
  const auto code =
      capture::run_quietly(command_of(*ncu, self->string(), uuid, plan, table.string()), stop);
  if (!code) return Unexpected(code.error());
  std::ostringstream text;
  text << std::ifstream(table, std::ios::binary).rdbuf();
  auto report = counters::ncu::parse_ncu_csv(text.str());
  if (!report) return Unexpected(report.error());
  if (*code != 0) {
    return Unexpected(Errc::device, fmt::format("{} ended with {}", *ncu, *code));
  }
  return counters::ncu::make_counted(std::move(report->launches));
}

}  // namespace

Result<std::string> shell_command_of_ncu(const std::string& uuid, const memory::CountedPlan& plan) {
  const auto self = path_of_this_program();
  if (!self) return Unexpected(self.error());
  std::string line;
  for (const std::string& word : command_of("ncu", self->string(), uuid, plan, "")) {
    line += shell_word(word) + " ";
  }
  return line + "> counted.csv";
}

std::string text_of(const memory::CountedPlan& plan) {
  return fmt::format("{:.0f},{:.0f},{},{}", plan.l1_bytes, plan.l2_bytes, plan.products ? 1 : 0,
                     plan.compute_capability);
}

Result<memory::CountedPlan> parse_counted_plan(const std::string& text) {
  memory::CountedPlan plan;
  int products = 0;
  const char* at = text.data();
  const char* end = at + text.size();
  const auto number = [&](auto& value) {
    const auto [rest, error] = std::from_chars(at, end, value);
    at = rest != end && *rest == ',' ? rest + 1 : rest;
    return error == std::errc();
  };
  constexpr double kMost = 1e12;
  const bool good = number(plan.l1_bytes) && number(plan.l2_bytes) && number(products) &&
                    number(plan.compute_capability) && at == end && plan.l1_bytes > 0 &&
                    plan.l2_bytes > 0 && plan.l1_bytes < kMost && plan.l2_bytes < kMost;
  if (!good) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} {}: give bytes of L1, bytes of L2, 0 or 1, and the compute "
                                  "capability",
                                  kLaunchCounted, text));
  }
  plan.products = products != 0;
  return plan;
}

memory::CountElsewhere count_with_ncu(std::string uuid, std::stop_token stop) {
  return [uuid = std::move(uuid), stop = std::move(stop)](const memory::CountedPlan& plan) {
    return count(uuid, plan, stop);
  };
}

}  // namespace truewatt::cli
