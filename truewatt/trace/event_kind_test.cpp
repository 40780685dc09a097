#include "truewatt/trace/event_kind.hpp"

#include <gtest/gtest.h>

#include "truewatt/base/enum_table.hpp"

namespace truewatt {
namespace {

TEST(EventKind, IsFoundByItsCode) {
  for (std::size_t i = 0; i < kEnumerators<EventKind>; ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_EQ(parse_event_kind(to_string(kind)), kind) << to_string(kind);
  }
  EXPECT_EQ(parse_event_kind(""), std::nullopt);
  EXPECT_EQ(parse_event_kind("dreaming"), std::nullopt);
}

}  // namespace
}  // namespace truewatt
