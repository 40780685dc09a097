#include "truewatt/base/loader_reason.hpp"

#include <gtest/gtest.h>

namespace truewatt {
namespace {

TEST(LoaderReason, NamesTheFileAndWhatIsWrongWithIt) {
  EXPECT_EQ(loader_reason("liba.so.1: cannot open shared object file: No such file or directory",
                          "liba.so.1"),
            "liba.so.1 is not on this machine");
  EXPECT_EQ(loader_reason("/etc/passwd: invalid ELF header", "/etc/passwd"),
            "/etc/passwd is no library");
}

TEST(LoaderReason, ALibraryThatNeedsAnotherNamesThatOne) {
  EXPECT_EQ(loader_reason("libneeded.so.2: cannot open shared object file: No such file or "
                          "directory",
                          "liba.so"),
            "libneeded.so.2 is not on this machine");
}

TEST(LoaderReason, OfWhatNobodyForesawNoForeignTextIsLeft) {
  EXPECT_EQ(loader_reason("liba.so: cannot enable executable stack", "liba.so"),
            "the system does not load liba.so");
  EXPECT_EQ(loader_reason("", "liba.so"), "the system does not load liba.so");
}

}  // namespace
}  // namespace truewatt
