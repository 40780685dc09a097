// Characterizes a simulated device and writes its profile: truewatt_make_profile sim:NAME FILE

#include <cstdio>
#include <filesystem>

#include "truewatt/characterize/characterization.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/store/text_file.hpp"

namespace {

truewatt::Result<void> make(const std::string& device, const std::filesystem::path& file) {
  using namespace truewatt;
  auto set = truewatt::devices::open_devices({.selectors = {device}, .seed = 1}, {});
  if (!set) return Unexpected(set.error());
  const auto result = truewatt::characterize::characterize(*set, {}, {});
  if (!result) return Unexpected(result.error());
  std::filesystem::create_directories(file.parent_path());
  return store::write_output_file(file, store::profile_to_json(result->profile));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto made = make(argv[1], argv[2]);
  if (!made) std::fprintf(stderr, "%s\n", made.error().message.c_str());
  return made ? 0 : 1;
}
