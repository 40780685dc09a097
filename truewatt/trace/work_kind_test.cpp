#include "truewatt/trace/work_kind.hpp"

#include <gtest/gtest.h>

namespace truewatt {
namespace {

using Part = WorkKind::Part;

TEST(WorkKind, IsReadAsItWasWritten) {
  for (const WorkKind& kind :
       {WorkKind{.level = 0.5}, WorkKind{.level = 0.1 + 0.2},
        WorkKind{.part = Part::cpu, .level = 1.0}, WorkKind{.what = "fma.rn.f32", .level = 1.0},
        WorkKind{.part = Part::cpu, .what = "copy, all", .level = 0.25},
        WorkKind{.what = "my kernel"}, WorkKind{}}) {
    EXPECT_EQ(parse_work_kind(to_string(kind)), kind) << to_string(kind);
  }
}

TEST(WorkKind, IsWrittenAsReadersOfRunFilesKnowIt) {
  EXPECT_EQ(to_string({.level = 0.5}), "level=0.5");
  EXPECT_EQ(to_string({.part = Part::cpu, .level = 1.0}), "cpu level=1");
  EXPECT_EQ(to_string({.what = "copy", .level = 1.0}), "copy, level=1");
}

TEST(WorkKind, OfATextWithoutALevelIsAName) {
  for (const char* text :
       {"1", "cpu", "level", "level=", "level=high", "my level=1", "level=1, x"}) {
    EXPECT_EQ(parse_work_kind(text), WorkKind{.what = text});
  }
}

}  // namespace
}  // namespace truewatt
