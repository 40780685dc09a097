#include "truewatt/capture/quiet_command.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace truewatt::capture {
namespace {

TEST(QuietCommand, GivesTheCodeOfAShell) {
  EXPECT_EQ(run_quietly({"sh", "-c", "exit 7"}).value_or(-1), 7);
  EXPECT_EQ(run_quietly({"sh", "-c", "kill -9 $$"}).value_or(-1), 128 + 9);
  EXPECT_EQ(run_quietly({"sh", "-c", "test ! -t 0 && echo hidden && cat"}).value_or(-1), 0);
}

TEST(QuietCommand, WhatIsNotThereIsNamed) {
  const auto none = run_quietly({"no-such-program-here"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::unavailable);
  EXPECT_NE(none.error().message.find("no-such-program-here"), std::string::npos);
}

TEST(QuietCommand, IsEndedWhereAsked) {
  std::stop_source stop;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run_quietly({"sleep", "30"}, stop.get_token()).value_or(-1), 128 + 15);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace truewatt::capture
