#include "truewatt/cli/profile_page.hpp"

#include <fmt/format.h>

#include "truewatt/study/profile_figures.hpp"

namespace truewatt::cli {

report::ProfilePage page_of(const study::Characterization& characterization,
                            const store::Metadata& metadata) {
  const Profile& profile = characterization.profile;
  report::ProfilePage page{.title = "truewatt characterize: " + profile.device.name,
                           .figures = study::figures_of(characterization)};
  page.metadata = {{"Device", profile.device.name},
                   {"UUID", profile.device.uuid},
                   {"PCI", profile.device.pci},
                   {"Driver", profile.device.driver},
                   {"Created", profile.created},
                   {"Device time", fmt::format("{:.1f} s", profile.duration_s)}};
  for (const auto& [key, value] : metadata) page.metadata.emplace_back(key, value);
  for (const std::string& note : characterization.notes) page.metadata.emplace_back("Note", note);
  return page;
}

}  // namespace truewatt::cli
