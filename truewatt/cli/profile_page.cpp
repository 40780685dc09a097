#include "truewatt/cli/profile_page.hpp"

#include <fmt/format.h>

#include "truewatt/characterize/profile_figures.hpp"

namespace truewatt::cli {

std::vector<std::pair<std::string, std::string>> page_metadata(
    const Profile& profile, const store::Metadata& metadata,
    const std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"Device", profile.device.name},
      {"UUID", profile.device.uuid},
      {"PCI", profile.device.pci},
      {"Driver", profile.device.driver},
      {"Created", profile.created},
      {"Device time", fmt::format("{:.1f} s", profile.duration_s)}};
  for (const auto& [key, value] : metadata) rows.emplace_back(key, value);
  for (const std::string& note : notes) rows.emplace_back("Note", note);
  return rows;
}

report::ProfilePage page_of(const identification::Characterization& characterization,
                            const store::Metadata& metadata) {
  const Profile& profile = characterization.profile;
  return {.title = "truewatt characterize: " + profile.device.name,
          .figures = characterize::figures_of(characterization),
          .metadata = page_metadata(profile, metadata, characterization.notes)};
}

}  // namespace truewatt::cli
