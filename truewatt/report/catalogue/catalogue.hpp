#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/model/catalogue.hpp"
#include "truewatt/model/catalogue_match.hpp"
#include "truewatt/model/product_names.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// A measured profile held against the catalogue.
struct ComparedProfile {
  std::string path;
  DeviceIdentity device;
  std::optional<catalogue::Family> family;  ///< absent: the catalogue does not know the device
  std::vector<catalogue::SourceComparison> sources;
};

/// What of the catalogue is shown.
struct CatalogueView {
  std::string query;                          ///< the name that was asked for; "": none
  std::optional<catalogue::Product> product;  ///< what the name is; absent: a family, or no name
  std::vector<catalogue::Family> families;    ///< in the catalogue's order
  std::optional<ComparedProfile> profile;
};

/// The view of one product or of the families of that name; nothing when it is not in the
/// catalogue.
std::optional<CatalogueView> catalogue_view(const std::string& name);
/// All families.
CatalogueView whole_catalogue();

/// For people: without a name the table of Fig. 14, one line per family; with one, everything about
/// it, contradictions included; then the profile. UTF-8, ends with a newline. Pure.
std::string catalogue_text(const CatalogueView& view, const TextOptions& options = {});

/// The JSON document `truewatt.catalogue/1` (docs/schemas/catalogue.schema.json): everything about
/// the families of the view. The same rules as energy_json. Pure.
std::string catalogue_json(const CatalogueView& view);

}  // namespace truewatt::report
