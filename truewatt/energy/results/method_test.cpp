#include "truewatt/energy/results/method.hpp"

#include <gtest/gtest.h>

#include "truewatt/base/enum_table.hpp"

namespace truewatt::energy {
namespace {

TEST(Method, IsFoundByItsCode) {
  for (std::size_t i = 0; i < kEnumerators<Method>; ++i) {
    const auto method = static_cast<Method>(i);
    EXPECT_EQ(parse_method(to_string(method)), method) << to_string(method);
  }
  EXPECT_EQ(parse_method(""), std::nullopt);
}

}  // namespace
}  // namespace truewatt::energy
