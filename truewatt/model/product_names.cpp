#include "truewatt/model/product_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

namespace truewatt::catalogue {
namespace {

struct Model {
  std::string_view words;      ///< as reported, without NVIDIA, Tesla and GeForce
  std::string_view name = {};  ///< of the model; "": the words
};

constexpr Model kGh200[] = {{"GH200"}};
constexpr Model kHopper[] = {{"H100"}, {"H200"}, {"H800"}, {"H20"}};
constexpr Model kAda[] = {{"RTX 4090"},
                          {"RTX 4080"},
                          {"RTX 4070"},
                          {"RTX 4060"},
                          {"RTX 4050"},
                          {"RTX 6000 Ada"},
                          {"RTX 5880 Ada"},
                          {"RTX 5000 Ada"},
                          {"RTX 4500 Ada"},
                          {"RTX 4000 Ada"},
                          {"RTX 4000 SFF Ada", "RTX 4000 Ada"},
                          {"RTX 3500 Ada"},
                          {"RTX 3000 Ada"},
                          {"RTX 2000 Ada"},
                          {"RTX 1000 Ada"},
                          {"RTX 500 Ada"},
                          {"L40S"},
                          {"L40"},
                          {"L20"},
                          {"L4"},
                          {"L2"}};
constexpr Model kAmpere[] = {
    {"RTX 3090"},  {"RTX 3080"},  {"RTX 3070"},  {"RTX 3060"},  {"RTX 3050"},  {"RTX 2050"},
    {"RTX A6000"}, {"RTX A5500"}, {"RTX A5000"}, {"RTX A4500"}, {"RTX A4000"}, {"RTX A3000"},
    {"RTX A2000"}, {"RTX A1000"}, {"RTX A500"},  {"RTX A400"},  {"A40"},       {"A16"},
    {"A10"},       {"A10G"},      {"A2"}};
constexpr Model kGa100[] = {{"A100"}, {"A100X"}, {"A800"}, {"A30"}, {"A30X"}};
constexpr Model kTuring[] = {{"RTX 2080"},
                             {"RTX 2070"},
                             {"RTX 2060"},
                             {"GTX 1660"},
                             {"GTX 1650"},
                             {"GTX 1630"},
                             {"TITAN RTX"},
                             {"Quadro RTX 8000", "RTX 8000"},
                             {"RTX 8000"},
                             {"Quadro RTX 6000"},
                             {"Quadro RTX 5000"},
                             {"Quadro RTX 4000"},
                             {"Quadro RTX 3000"},
                             {"T4"},
                             {"T4G"}};
constexpr Model kVolta[] = {{"V100"}, {"V100S"}, {"TITAN V"}, {"Quadro GV100"}};
constexpr Model kPascal[] = {
    {"P100"},         {"P40"},          {"P6"},
    {"P4"},           {"TITAN Xp"},     {"TITAN X Pascal", "TITAN X (Pascal)"},
    {"GTX 1080"},     {"GTX 1070"},     {"GTX 1060"},
    {"GTX 1050"},     {"GT 1030"},      {"Quadro GP100"},
    {"Quadro P6000"}, {"Quadro P5000"}, {"Quadro P4000"},
    {"Quadro P2200"}, {"Quadro P2000"}, {"Quadro P1000"},
    {"Quadro P620"},  {"Quadro P600"},  {"Quadro P400"}};
constexpr Model kMaxwell2[] = {
    {"M60"},          {"M40"},          {"M6"},          {"M4"},      {"GTX TITAN X"},
    {"GTX 980"},      {"GTX 970"},      {"GTX 960"},     {"GTX 950"}, {"Quadro M6000"},
    {"Quadro M5000"}, {"Quadro M4000"}, {"Quadro M2000"}};
constexpr Model kMaxwell1[] = {{"M10"},          {"GTX 750 Ti"},   {"GTX 745"},
                               {"Quadro K2200"}, {"Quadro K1200"}, {"Quadro K620", "K620"},
                               {"K620"}};
constexpr Model kKepler2[] = {{"K80"}};
// As Yang 2024 groups them: K20 and K40 are its Kepler 1.0, whatever their chips are called
// elsewhere. Other Kepler boards are in neither of its groups.
constexpr Model kKepler1[] = {{"K40"},         {"K40c", "K40"}, {"K40m", "K40"},  {"K40s", "K40"},
                              {"K40t", "K40"}, {"K20"},         {"K20c", "K20"},  {"K20m", "K20"},
                              {"K20s", "K20"}, {"K20X"},        {"K20Xm", "K20X"}};
constexpr Model kFermi2[] = {{"M2090"}, {"M2075"}, {"C2075"}};
constexpr Model kFermi1[] = {
    {"C2050"}, {"C2070"}, {"C2050 / C2070", "C2050"}, {"M2050"}, {"M2070"}};

struct FamilyModels {
  Family family;
  std::span<const Model> models;
  double highest_limit_w = 0.0;  ///< of its boards
};
constexpr std::array kModels = {
    FamilyModels{Family::gh200, kGh200, 1000.0},
    FamilyModels{Family::hopper, kHopper, 700.0},
    FamilyModels{Family::ada, kAda, 600.0},
    FamilyModels{Family::ampere, kAmpere, 480.0},
    FamilyModels{Family::ga100, kGa100, 500.0},
    FamilyModels{Family::turing, kTuring, 320.0},
    FamilyModels{Family::volta, kVolta, 350.0},
    FamilyModels{Family::pascal, kPascal, 300.0},
    FamilyModels{Family::maxwell_2, kMaxwell2, 300.0},
    FamilyModels{Family::maxwell_1, kMaxwell1, 225.0},
    FamilyModels{Family::kepler_2, kKepler2, 300.0},
    FamilyModels{Family::kepler_1, kKepler1, 245.0},
    FamilyModels{Family::fermi_2, kFermi2, 250.0},
    FamilyModels{Family::fermi_1, kFermi1, 250.0},
};

/// The built-in simulated devices (model/builtin_devices.cpp) and the boards that they stand for.
constexpr auto kSimulated = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"k20", "K20"},
    {"k40", "K40"},
    {"p100", "P100"},
    {"v100", "V100"},
    {"turing", "RTX 2080 Ti"},
    {"rtx3090", "RTX 3090"},
    {"rtx4090", "RTX 4090"},
    {"a100", "A100"},
    {"h100", "H100"},
    {"h200", "H200"},
    {"gh200", "GH200"},
});

/// Words that may follow a model without making another chip of it.
constexpr auto kFormWords = std::to_array<std::string_view>(
    {"PCIE",  "SXM",  "SXM2",  "SXM3",   "SXM4",   "SXM5", "NVL",        "CNX",    "HBM2",
     "HBM2E", "HBM3", "HBM3E", "DGXS",   "FHHL",   "SFF",  "GENERATION", "LAPTOP", "GPU",
     "WITH",  "MAX",  "Q",     "DESIGN", "ACTIVE", "CEO",  "COLLECTORS", "EDITION"});
/// Words that make another model of the same chips.
constexpr auto kModelWords = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"TI", "Ti"}, {"SUPER", "SUPER"}, {"D", "D"}});

std::string upper(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return result;
}

using Words = std::vector<std::string>;

/// Words in capitals; spaces, dashes and brackets part them.
Words words_of(std::string_view name) {
  Words words(1);
  for (const char c : upper(name)) {
    if (c != ' ' && c != '-' && c != '(' && c != ')') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// "40GB", "144G"
bool is_memory_size(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string_view unit = word.substr(digits);
  return digits > 0 && (unit == "GB" || unit == "G");
}

/// The rest of a name behind its model: false when it holds a word that nobody knows.
bool append_rest(std::span<const std::string> rest, std::string& model) {
  for (const std::string& word : rest) {
    const auto variant = std::find_if(kModelWords.begin(), kModelWords.end(),
                                      [&](const auto& entry) { return entry.first == word; });
    if (variant != kModelWords.end()) {
      model.append(" ").append(variant->second);
      continue;
    }
    const bool known = std::find(kFormWords.begin(), kFormWords.end(), word) != kFormWords.end();
    if (!known && !is_memory_size(word)) return false;
  }
  return true;
}

std::optional<Product> match(const Words& words, Family family, const Model& model) {
  const Words wanted = words_of(model.words);
  if (words.size() < wanted.size()) return std::nullopt;
  if (!std::equal(wanted.begin(), wanted.end(), words.begin())) return std::nullopt;
  Product product{std::string(model.name.empty() ? model.words : model.name), family};
  const auto rest = std::span(words).subspan(wanted.size());
  return append_rest(rest, product.model) ? std::optional(product) : std::nullopt;
}

/// Removes what says nothing about the chip from the front.
Words without_brands(Words words) {
  const auto chip = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word != "NVIDIA" && word != "TESLA" && word != "GEFORCE";
  });
  words.erase(words.begin(), chip);
  return words;
}

/// The board that a simulated device stands for; nothing for other names.
std::optional<std::string_view> simulated_board(std::string_view name) {
  for (const std::string_view prefix : {"sim:", "truewatt simulated "}) {
    if (!name.starts_with(prefix)) continue;
    for (const auto& [device, board] : kSimulated) {
      if (device == name.substr(prefix.size())) return board;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Product> find_product(std::string_view name) {
  if (const auto board = simulated_board(name)) return find_product(*board);
  // A slice of a GPU reads its GPU's sensor.
  const Words words = without_brands(words_of(name.substr(0, name.find(" MIG "))));
  for (const FamilyModels& entry : kModels) {
    for (const Model& model : entry.models) {
      if (auto product = match(words, entry.family, model)) return product;
    }
  }
  return std::nullopt;
}

std::optional<double> highest_power_limit(std::string_view name) {
  const auto product = find_product(name);
  if (!product) return std::nullopt;
  const auto family = std::find_if(kModels.begin(), kModels.end(), [&](const FamilyModels& one) {
    return one.family == product->family;
  });
  return family->highest_limit_w;
}

std::vector<std::string> known_models() {
  std::vector<std::string> names;
  for (const FamilyModels& entry : kModels) {
    for (const Model& model : entry.models) {
      std::string name(model.name.empty() ? model.words : model.name);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

}  // namespace truewatt::catalogue
