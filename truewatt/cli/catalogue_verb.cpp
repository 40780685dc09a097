#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/catalogue/catalogue.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::cli {
namespace {

struct CatalogueArguments {
  CommonOptions common;
  std::vector<std::string> name;  ///< words
  std::string profile;
};

constexpr const char* kCatalogueFooter = R"(Examples:
  truewatt catalogue                    the table of all families
  truewatt catalogue RTX 3090           a product, as truewatt devices names it
  truewatt catalogue Kepler             the families of a name
  truewatt catalogue sim:a100           the board of a simulated device
  truewatt catalogue --profile FILE     a measured profile, source by source

Update period, averaging window and response by family and age of the driver, as
in Fig. 14 of Yang, Adamek, Armour (SC'24); what contradicts the figure; gains
and offsets of metered boards.

Exit codes: 0, also when a profile differs; 1 a file that cannot be read or
written; 2 a name that is not in the catalogue, or usage.)";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// In small letters, without the brand.
std::string bare(const std::string& name) {
  std::string text = lower(name);
  for (const std::string_view brand : {"nvidia ", "tesla ", "geforce "}) {
    if (text.starts_with(brand)) text.erase(0, brand.size());
  }
  return text;
}

/// Names that somebody who typed `name` may have meant.
std::vector<std::string> suggestions(const std::string& name) {
  std::vector<std::string> known = catalogue::known_models();
  for (const catalogue::Family family : catalogue::families()) {
    known.emplace_back(name_of(family));
  }
  std::vector<std::string> lowered;
  for (const std::string& candidate : known) lowered.push_back(lower(candidate));
  std::vector<std::string> nearest;
  for (const std::string& found : nearest_names(bare(name), lowered, 3)) {
    const auto at = std::find(lowered.begin(), lowered.end(), found) - lowered.begin();
    nearest.push_back(known[static_cast<std::size_t>(at)]);
  }
  return nearest;
}

Result<report::CatalogueView> view_of_name(const std::string& name) {
  if (auto view = report::catalogue_view(name)) return *std::move(view);
  return Unexpected(
      Errc::invalid_argument,
      fmt::format("{} is not in the catalogue; the nearest names are {}. Without a name, `truewatt "
                  "catalogue` shows all families",
                  name, fmt::join(suggestions(name), ", ")));
}

/// The family to hold a profile against: the one that was named, else that of its device.
Result<std::optional<catalogue::Family>> family_to_compare(const report::CatalogueView* named,
                                                           const DeviceIdentity& device) {
  if (!named) {
    const auto product = catalogue::find_product(device.name);
    return product ? std::optional(product->family) : std::nullopt;
  }
  if (named->families.size() == 1) return std::optional(named->families.front());
  std::vector<std::string_view> names;
  for (const catalogue::Family family : named->families) names.push_back(name_of(family));
  return Unexpected(Errc::invalid_argument,
                    fmt::format("{} names several families; compare with one of {}", named->query,
                                fmt::join(names, ", ")));
}

Result<report::CatalogueView> view_with_profile(std::optional<report::CatalogueView> named,
                                                const std::string& path) {
  const auto profile = store::read_profile(path);
  if (!profile) return Unexpected(profile.error());
  const auto family = family_to_compare(named ? &*named : nullptr, profile->device);
  if (!family) return Unexpected(family.error());
  report::CatalogueView view;
  if (named) {
    view = *std::move(named);
  } else if (auto found = report::catalogue_view(profile->device.name)) {
    view = *std::move(found);
  }
  view.profile = report::ComparedProfile{path, profile->device, *family,
                                         catalogue::compare(*profile, *family)};
  return view;
}

Result<report::CatalogueView> view_of(const CatalogueArguments& arguments) {
  const std::string name = fmt::format("{}", fmt::join(arguments.name, " "));
  std::optional<report::CatalogueView> named;
  if (!name.empty()) {
    auto view = view_of_name(name);
    if (!view) return view;
    named = *std::move(view);
  }
  if (!arguments.profile.empty()) return view_with_profile(std::move(named), arguments.profile);
  return named ? *std::move(named) : report::whole_catalogue();
}

int show_catalogue(const CatalogueArguments& arguments) {
  const auto view = view_of(arguments);
  if (!view) return fail(view.error(), Stage::input);
  const CommonOptions& common = arguments.common;
  if (!write_asked_for(common.json, [&] { return report::catalogue_json(*view); })) return kOther;
  if (common.quiet) return kOk;
  const Stream stream = summary_stream(common);
  print_to(stream, report::catalogue_text(*view, text_options(common, stream)));
  return kOk;
}

}  // namespace

Verb add_catalogue(CLI::App& app) {
  auto arguments = std::make_shared<CatalogueArguments>();
  CLI::App* verb = app.add_subcommand(
      "catalogue", "What is published about the power readings of a GPU or of all families");
  verb->footer(kCatalogueFooter);
  verb->add_option("name", arguments->name,
                   "A product, a family or sim:NAME; default: all families")
      ->type_name("NAME");
  verb->add_option("--profile", arguments->profile,
                   "Compare a measured profile with what is published of its family, or of NAME")
      ->type_name("FILE")
      ->check(input_file());
  add_common(*verb, arguments->common, {.device = false});
  return [arguments] { return show_catalogue(*arguments); };
}

}  // namespace truewatt::cli
