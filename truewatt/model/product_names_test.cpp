#include "truewatt/model/product_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "truewatt/model/device_description.hpp"
#include "truewatt/model/metered_boards.hpp"

namespace truewatt::catalogue {
namespace {

struct Case {
  const char* name;
  const char* model;
  Family family;
};

TEST(ProductNames, AreThoseThatDriversReport) {
  const std::vector<Case> cases = {
      {"NVIDIA GH200 480GB", "GH200", Family::gh200},
      {"NVIDIA GH200 144G HBM3e", "GH200", Family::gh200},
      {"NVIDIA H100 PCIe", "H100", Family::hopper},
      {"NVIDIA H100 80GB HBM3", "H100", Family::hopper},
      {"NVIDIA H100 NVL", "H100", Family::hopper},
      {"NVIDIA H200", "H200", Family::hopper},
      {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "H100", Family::hopper},
      {"NVIDIA GeForce RTX 4090", "RTX 4090", Family::ada},
      {"NVIDIA GeForce RTX 4090 D", "RTX 4090 D", Family::ada},
      {"NVIDIA GeForce RTX 4070 Ti SUPER", "RTX 4070 Ti SUPER", Family::ada},
      {"NVIDIA GeForce RTX 4080 Laptop GPU", "RTX 4080", Family::ada},
      {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", Family::ada},
      {"NVIDIA RTX 4000 SFF Ada Generation", "RTX 4000 Ada", Family::ada},
      {"NVIDIA L40S", "L40S", Family::ada},
      {"NVIDIA L4", "L4", Family::ada},
      {"NVIDIA GeForce RTX 3090", "RTX 3090", Family::ampere},
      {"GeForce RTX 3070 Ti", "RTX 3070 Ti", Family::ampere},
      {"NVIDIA GeForce RTX 3060 12GB", "RTX 3060", Family::ampere},
      {"NVIDIA GeForce RTX 2050", "RTX 2050", Family::ampere},
      {"NVIDIA RTX A6000", "RTX A6000", Family::ampere},
      {"NVIDIA RTX A2000 12GB", "RTX A2000", Family::ampere},
      {"NVIDIA A10", "A10", Family::ampere},
      {"NVIDIA A10G", "A10G", Family::ampere},
      {"NVIDIA A40", "A40", Family::ampere},
      {"NVIDIA A100-PCIE-40GB", "A100", Family::ga100},
      {"NVIDIA A100 80GB PCIe", "A100", Family::ga100},
      {"A100-SXM4-40GB", "A100", Family::ga100},
      {"NVIDIA A100-SXM4-80GB MIG 2g.20gb", "A100", Family::ga100},
      {"NVIDIA A30", "A30", Family::ga100},
      {"NVIDIA A800-SXM4-80GB", "A800", Family::ga100},
      {"Quadro RTX 8000", "RTX 8000", Family::turing},
      {"Quadro RTX 6000", "Quadro RTX 6000", Family::turing},
      {"NVIDIA TITAN RTX", "TITAN RTX", Family::turing},
      {"GeForce RTX 2080 Ti", "RTX 2080 Ti", Family::turing},
      {"NVIDIA GeForce RTX 2060 SUPER", "RTX 2060 SUPER", Family::turing},
      {"NVIDIA GeForce GTX 1650 Ti with Max-Q Design", "GTX 1650 Ti", Family::turing},
      {"Tesla T4", "T4", Family::turing},
      {"Tesla V100-SXM2-16GB", "V100", Family::volta},
      {"Tesla V100-PCIE-32GB", "V100", Family::volta},
      {"Tesla V100S-PCIE-32GB", "V100S", Family::volta},
      {"NVIDIA TITAN V", "TITAN V", Family::volta},
      {"Tesla P100-PCIE-16GB", "P100", Family::pascal},
      {"TITAN Xp", "TITAN Xp", Family::pascal},
      {"NVIDIA TITAN X (Pascal)", "TITAN X (Pascal)", Family::pascal},
      {"GeForce GTX 1080 Ti", "GTX 1080 Ti", Family::pascal},
      {"NVIDIA GeForce GTX 1060 6GB", "GTX 1060", Family::pascal},
      {"Quadro P6000", "Quadro P6000", Family::pascal},
      {"Tesla M40", "M40", Family::maxwell_2},
      {"Tesla M40 24GB", "M40", Family::maxwell_2},
      {"GeForce GTX TITAN X", "GTX TITAN X", Family::maxwell_2},
      {"NVIDIA GeForce GTX 980 Ti", "GTX 980 Ti", Family::maxwell_2},
      {"Quadro K620", "K620", Family::maxwell_1},
      {"GeForce GTX 745", "GTX 745", Family::maxwell_1},
      {"NVIDIA GeForce GTX 750 Ti", "GTX 750 Ti", Family::maxwell_1},
      {"Tesla K80", "K80", Family::kepler_2},
      {"Tesla K40m", "K40", Family::kepler_1},
      {"Tesla K20Xm", "K20X", Family::kepler_1},
      {"Tesla M2090", "M2090", Family::fermi_2},
      {"Tesla C2050 / C2070", "C2050", Family::fermi_1},
      {"nvidia geforce rtx 3090", "RTX 3090", Family::ampere},
      {"rtx 8000", "RTX 8000", Family::turing},
  };
  EXPECT_GT(cases.size(), 30U);
  for (const Case& expected : cases) {
    const auto product = find_product(expected.name);
    ASSERT_TRUE(product) << expected.name;
    EXPECT_EQ(product->model, expected.model) << expected.name;
    EXPECT_EQ(product->family, expected.family) << expected.name;
  }
}

TEST(ProductNames, UnknownOnesAreNothingNeverAGuess) {
  for (const char* name : {
           "",
           "NVIDIA",
           "NVIDIA Graphics Device",
           "NVIDIA B200",
           "NVIDIA GB200",
           "NVIDIA GeForce RTX 5090",
           "NVIDIA RTX PRO 6000 Blackwell Server Edition",
           "NVIDIA GeForce RTX 3050 A Laptop GPU",  // an Ada chip
           "NVIDIA A100-40C",                       // a vGPU
           "GRID V100D-8Q",
           "NVIDIA RTXA6000-24Q",
           "TITAN X",           // Maxwell or Pascal
           "NVIDIA RTX 6000",   // Turing or Ada
           "GeForce GTX 960M",  // another generation than GTX 960
           "Quadro M2000M",
           "GeForce GTX TITAN",
           "Tesla K10.G1.8GB",
           "AMD Instinct MI300X",
           "RTX",
           "3090",
           "H1000",
           "sim:example",
           "sim:",
           "truewatt simulated plain",
       }) {
    EXPECT_EQ(find_product(name), std::nullopt) << name;
  }
}

TEST(ProductNames, EveryBuiltInSimulatedDeviceIsOne) {
  for (const std::string& name : builtin_device_names()) {
    EXPECT_TRUE(find_product("sim:" + name)) << name;
    EXPECT_EQ(find_product("truewatt simulated " + name), find_product("sim:" + name));
  }
  EXPECT_EQ(find_product("sim:a100"), find_product("NVIDIA A100-PCIE-40GB"));
  EXPECT_EQ(find_product("sim:turing")->family, Family::turing);
  EXPECT_EQ(find_product("sim:gh200")->family, Family::gh200);
}

TEST(ProductNames, ModelsAreFoundByTheirOwnNames) {
  const std::vector<std::string> models = known_models();
  EXPECT_GT(models.size(), 100U);
  for (const std::string& model : models) {
    const auto product = find_product(model);
    ASSERT_TRUE(product) << model;
    EXPECT_EQ(product->model, model);
  }
}

TEST(ProductNames, TestedAndMeteredModelsAreKnown) {
  for (const TestedModel& tested : tested_models()) {
    const auto product = find_product(tested.model);
    ASSERT_TRUE(product) << tested.model;
    EXPECT_EQ(*product, (Product{std::string(tested.model), tested.family}));
  }
  for (const MeteredBoard& metered : metered_boards()) {
    const auto product = find_product(metered.model);
    ASSERT_TRUE(product) << metered.model;
    EXPECT_EQ(*product, (Product{std::string(metered.model), metered.family}));
  }
}

}  // namespace
}  // namespace truewatt::catalogue
