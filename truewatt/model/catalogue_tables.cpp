// The data of the catalogue: the legend and the rows of Fig. 14, the GH200 of section VI, Table I
// (all of Yang 2024, see kCitation).
#include "truewatt/model/catalogue_tables.hpp"

#include <array>

namespace truewatt::catalogue {
namespace {

struct FamilyName {
  Family family;
  std::string_view key;
  std::string_view name;
};

constexpr std::array kFamilyNames = {
    FamilyName{Family::gh200, "gh200", "GH200 (superchip)"},
    FamilyName{Family::hopper, "hopper", "Hopper GH100"},
    FamilyName{Family::ada, "ada", "Ada Lovelace"},
    FamilyName{Family::ampere, "ampere", "Ampere (not GA100)"},
    FamilyName{Family::ga100, "ga100", "GA100"},
    FamilyName{Family::turing, "turing", "Turing"},
    FamilyName{Family::volta, "volta", "Volta"},
    FamilyName{Family::pascal, "pascal", "Pascal"},
    FamilyName{Family::maxwell_2, "maxwell2", "Maxwell 2.0"},
    FamilyName{Family::maxwell_1, "maxwell1", "Maxwell 1.0"},
    FamilyName{Family::kepler_2, "kepler2", "Kepler 2.0"},
    FamilyName{Family::kepler_1, "kepler1", "Kepler 1.0"},
    FamilyName{Family::fermi_2, "fermi2", "Fermi 2.0"},
    FamilyName{Family::fermi_1, "fermi1", "Fermi 1.0"},
};

constexpr std::array<Family, kFamilyNames.size()> families_of_names() {
  std::array<Family, kFamilyNames.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = kFamilyNames[i].family;
  return all;
}
constexpr std::array kFamilies = families_of_names();

const FamilyName& names_of(Family family) {
  return kFamilyNames.at(static_cast<std::size_t>(family));
}

constexpr Seconds ms(int milliseconds) { return Seconds(milliseconds / 1000.0); }

constexpr std::array kLegend = {
    Behaviour{"1", Response::instant, ms(100), ms(25), "at once"},
    Behaviour{"2", Response::instant, ms(100), ms(100), "at once"},
    Behaviour{"3", Response::ramp, ms(100), ms(1000), "over 1 s"},
    Behaviour{"4", Response::instant, ms(20), ms(10), "at once"},
    Behaviour{"5", Response::logarithmic, ms(100), {}, "logarithmic"},
    Behaviour{"6", Response::logarithmic, ms(15), {}, "logarithmic"},
    Behaviour{"7", Response::estimated, {}, {}, "estimated"},
    Behaviour{"8", Response::unsupported, {}, {}, "not supported"},
};

// Section VI: both update every 100 ms; of the GPU's activity the last 20 ms count, of the CPU's
// the last 10 ms.
constexpr Behaviour kGh200Gpu{"gh200.gpu", Response::instant, ms(100), ms(20), "at once"};
constexpr Behaviour kGh200Cpu{"gh200.cpu", Response::instant, ms(100), ms(10), "at once"};

struct Column {
  Era era;
  SourceKind kind;
};
constexpr std::array<Column, 5> kColumns = {{
    {Era::pre_530, SourceKind::power_usage},
    {Era::v530, SourceKind::power_usage},
    {Era::post_530, SourceKind::power_usage},
    {Era::post_530, SourceKind::power_average},
    {Era::post_530, SourceKind::power_instant},
}};

struct Row {
  Family family;
  std::array<int, kColumns.size()> codes;
};
constexpr std::array kFigure14 = {
    Row{Family::hopper, {8, 8, 3, 3, 1}},     //
    Row{Family::ada, {3, 2, 3, 3, 2}},        //
    Row{Family::ampere, {3, 2, 3, 3, 2}},     //
    Row{Family::ga100, {1, 1, 1, 8, 1}},      //
    Row{Family::turing, {2, 2, 2, 8, 2}},     //
    Row{Family::volta, {4, 4, 4, 8, 4}},      //
    Row{Family::pascal, {4, 4, 4, 8, 4}},     //
    Row{Family::maxwell_2, {5, 5, 5, 8, 5}},  //
    Row{Family::maxwell_1, {5, 5, 5, 8, 5}},  //
    Row{Family::kepler_2, {5, 8, 8, 8, 8}},   //
    Row{Family::kepler_1, {6, 8, 8, 8, 8}},   //
    Row{Family::fermi_2, {7, 8, 8, 8, 8}},    //
    Row{Family::fermi_1, {8, 8, 8, 8, 8}},    //
};

// Table I has one line for both Maxwell generations; the chips decide here (GM107: 1.0).
constexpr std::array kTested = {
    TestedModel{"H100", "H100", Family::hopper, 10},
    TestedModel{"GH200 480GB", "GH200", Family::gh200, 1},
    TestedModel{"RTX 4090", "RTX 4090", Family::ada, 1},
    TestedModel{"A100 PCIE-40G", "A100", Family::ga100, 4},
    TestedModel{"A100 PCIE-80G", "A100", Family::ga100, 4},
    TestedModel{"A100 SXM4-40G", "A100", Family::ga100, 2},
    TestedModel{"A10", "A10", Family::ampere, 1},
    TestedModel{"RTX A6000", "RTX A6000", Family::ampere, 10},
    TestedModel{"RTX A5000", "RTX A5000", Family::ampere, 1},
    TestedModel{"RTX 3090", "RTX 3090", Family::ampere, 5},
    TestedModel{"RTX 3070 Ti", "RTX 3070 Ti", Family::ampere, 1},
    TestedModel{"RTX 8000", "RTX 8000", Family::turing, 4},
    TestedModel{"TITAN RTX", "TITAN RTX", Family::turing, 4},
    TestedModel{"RTX 2080 Ti", "RTX 2080 Ti", Family::turing, 1},
    TestedModel{"RTX 2060 S", "RTX 2060 SUPER", Family::turing, 1},
    TestedModel{"GTX 1650 Ti", "GTX 1650 Ti", Family::turing, 1},
    TestedModel{"V100 SXM2-16G", "V100", Family::volta, 4},
    TestedModel{"V100 PCIE-16G", "V100", Family::volta, 1},
    TestedModel{"P100 PCIE-16G", "P100", Family::pascal, 5},
    TestedModel{"TITAN Xp", "TITAN Xp", Family::pascal, 1},
    TestedModel{"GTX 1080 Ti", "GTX 1080 Ti", Family::pascal, 1},
    TestedModel{"GTX 1080", "GTX 1080", Family::pascal, 1},
    TestedModel{"M40", "M40", Family::maxwell_2, 1},
    TestedModel{"TITAN X", "GTX TITAN X", Family::maxwell_2, 1},
    TestedModel{"K620", "K620", Family::maxwell_1, 1},
    TestedModel{"GTX 745", "GTX 745", Family::maxwell_1, 1},
    TestedModel{"K80", "K80", Family::kepler_2, 1},
    TestedModel{"K40", "K40", Family::kepler_1, 1},
    TestedModel{"M2090", "M2090", Family::fermi_2, 1},
    TestedModel{"C2050", "C2050", Family::fermi_1, 1},
};

std::vector<Entry> gh200_entries() {
  const auto entry = [](Scope scope, const Behaviour& behaviour) {
    return Entry{.family = Family::gh200,
                 .era = Era::post_530,
                 .source = {SourceKind::power_instant, scope},
                 .behaviour = &behaviour,
                 .provenance = Provenance::text};
  };
  return {entry(Scope::gpu, kGh200Gpu), entry(Scope::cpu, kGh200Cpu)};
}

}  // namespace

std::span<const Family> families() { return kFamilies; }
std::string_view key_of(Family family) { return names_of(family).key; }
std::string_view name_of(Family family) { return names_of(family).name; }
std::span<const Behaviour> legend() { return kLegend; }
std::span<const TestedModel> tested_models() { return kTested; }

std::vector<Entry> entries(Family family) {
  if (family == Family::gh200) return gh200_entries();
  std::vector<Entry> all;
  for (const Row& row : kFigure14) {
    if (row.family != family) continue;
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto code = static_cast<std::size_t>(row.codes[i]);
      all.push_back({.family = family,
                     .era = kColumns[i].era,
                     .source = {kColumns[i].kind, Scope::gpu},
                     .behaviour = &kLegend.at(code - 1)});
    }
  }
  return all;
}

}  // namespace truewatt::catalogue
