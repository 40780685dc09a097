#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/model/catalogue.hpp"

namespace truewatt::catalogue {

/// What a product's name says about it.
struct Product {
  std::string model;  ///< "RTX 3090", "A100", "RTX 2060 SUPER"
  Family family = Family::gh200;
  friend bool operator==(const Product&, const Product&) = default;
};

/// The product behind a name as the driver reports it ("NVIDIA A100-PCIE-40GB", "Tesla
/// V100-SXM2-16GB", "NVIDIA H100 80GB HBM3 MIG 1g.10gb"), with or without its brand, in any case,
/// or of a simulated device ("sim:a100"). Every word of the name must be known: a name that is not
/// in the list, or that goes on with something else (a vGPU's profile, "RTX 3050 A"), is nothing,
/// never a guess. Architectures newer than Hopper are not in the catalogue.
std::optional<Product> find_product(std::string_view name);

/// W: the highest power limit of any board of the family that the name belongs to, by NVIDIA's data
/// sheets; nothing where the name is not in the list.
std::optional<double> highest_power_limit(std::string_view name);

/// Every model in the list, for suggestions.
std::vector<std::string> known_models();

}  // namespace truewatt::catalogue
