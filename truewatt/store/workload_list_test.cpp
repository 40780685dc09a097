#include "truewatt/store/workload_list.hpp"

#include <gtest/gtest.h>

namespace truewatt::store {
namespace {

TEST(WorkloadList, ReadsNamesAndCommands) {
  const auto list = read_workloads(
      R"([{"name": "a", "title": "A", "command": ["./a", "-x"], "paper": "000", "what": "adds"},
          {"name": "b", "command": ["python3", "b.py"]}])",
      "list", "/folder");
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ(list->front().command, (std::vector<std::string>{"./a", "-x"}));
  EXPECT_EQ(list->front().what, "adds");
  EXPECT_EQ(list->front().folder, "/folder");
  EXPECT_EQ(list->back().title, "b");
}

TEST(WorkloadList, SaysWhatIsWrong) {
  for (const char* text :
       {"", "{}", "[1]", R"([{"name": "a"}])", R"([{"command": ["a"]}])",
        R"([{"name": "a", "command": []}])", R"([{"name": "a", "command": [1]}])"}) {
    const auto list = read_workloads(text, "list", "/folder");
    ASSERT_FALSE(list) << text;
    EXPECT_EQ(list.error().code, Errc::parse) << text;
    EXPECT_NE(list.error().message.find("list"), std::string::npos) << text;
  }
  EXPECT_EQ(find_workloads("/no/such/folder").error().code, Errc::unavailable);
}

TEST(WorkloadList, OfThisTreeIsGood) {
  const auto list = find_workloads(TRUEWATT_VALIDATION);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->size(), 15U);
}

}  // namespace
}  // namespace truewatt::store
