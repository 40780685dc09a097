// Which GPU a row is of.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "truewatt/testing/smi_log.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"
#include "truewatt/trace/formats/stamps/query_order.hpp"

namespace truewatt::trace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(NvidiaSmiGpus, AreToldApartByWhatTheLogHas) {
  const auto log = parsed_log(
      "timestamp, index, name, uuid, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 0, NVIDIA A100, GPU-aa, 50.00\n"
      "2023/07/14 10:10:26.001, 1, NVIDIA A100, GPU-bb, 70.00\n"
      "2023/07/14 10:10:26.100, 0, NVIDIA A100, GPU-aa, 51.00\n"
      "2023/07/14 10:10:26.101, 1, NVIDIA A100, GPU-bb, 70.00\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[1].device.index, 1);
  EXPECT_EQ(log.recordings[1].device.uuid, "GPU-bb");
  EXPECT_EQ(log.recordings[1].device.name, "NVIDIA A100");
  EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.0, 51.0));
  EXPECT_THAT(watts(log.recordings[1], kUsageColumn), ElementsAre(70.0));
}

TEST(NvidiaSmiGpus, AreToldApartByPciIdIndexOrNameAlone) {
  for (const auto& [title, a, b] :
       {std::tuple{"pci.bus_id", "00000000:1B:00.0", "00000000:5E:00.0"},
        std::tuple{"index", "0", "1"}, std::tuple{"name", "NVIDIA A100", "Tesla T4"}}) {
    const std::string text = std::string("timestamp, ") + title + ", power.draw [W]\n" +
                             "2023/07/14 10:10:26.000, " + a + ", 50.00\n" +
                             "2023/07/14 10:10:26.000, " + b + ", 70.00\n";
    EXPECT_EQ(parsed_log(text).recordings.size(), 2U) << title;
  }
}

TEST(NvidiaSmiGpus, AreToldApartByWhatPeopleCallTheirColumns) {
  for (const char* title : {"device", "device_id", "device_index", "card", "local_rank", "rank",
                            "gpu_idx", "gpu index", "minor_number", "gpu_id", "gpu"}) {
    const auto log = parsed_log(std::string("timestamp, ") + title +
                                ", power.draw [W]\n"
                                "2023/07/14 10:10:26.000, 1, 70.00\n"
                                "2023/07/14 10:10:26.000, 0, 50.00\n"
                                "2023/07/14 10:10:26.100, 0, 51.00\n"
                                "2023/07/14 10:10:26.100, 1, 71.00\n");
    ASSERT_EQ(log.recordings.size(), 2U) << title;
    for (const Recording& recording : log.recordings) {
      EXPECT_THAT(watts(recording, kUsageColumn),
                  recording.device.index == 0 ? ElementsAre(50.0, 51.0) : ElementsAre(70.0, 71.0))
          << title;
    }
  }
}

TEST(NvidiaSmiGpus, AreOfTheNumberInTheirCell) {
  for (const auto& [one, zero] :
       {std::pair{"GPU1", "GPU0"}, std::pair{"GPU 1", "GPU 0"}, std::pair{"gpu-1", "gpu-0"},
        std::pair{"cuda:1", "cuda:0"}, std::pair{"1.0", "0.0"}}) {
    for (const char* title : {"gpu", "gpu_id", "index"}) {
      const auto log = parsed_log(std::string("timestamp, ") + title + ", power.draw [W]\n" +
                                  "2023/07/14 10:10:26.000, " + one + ", 70.00\n" +
                                  "2023/07/14 10:10:26.000, " + zero + ", 50.00\n");
      ASSERT_EQ(log.recordings.size(), 2U) << title << one;
      for (const Recording& recording : log.recordings) {
        EXPECT_THAT(watts(recording, kUsageColumn),
                    ElementsAre(recording.device.index == 0 ? 50.0 : 70.0))
            << title << one;
      }
    }
  }
}

// A process's rank is no GPU where a column says which one a row is of.
TEST(NvidiaSmiGpus, AreNotOfAColumnThatMaySaySoBesideOneThatDoes) {
  const auto log = parsed_log(
      "timestamp, rank, device, index, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 0, cpu, 0, 50.00\n"
      "2023/07/14 10:10:26.000, 0, cpu, 1, 70.00\n"
      "2023/07/14 10:10:26.100, 1, cpu, 0, 51.00\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.0, 51.0));
}

/// `gpus` rows a query, `within` ms apart, a query every 100 ms; each GPU at 50 W times its place.
std::string queries(int gpus, int within, int count) {
  std::string text = "timestamp, name, power.draw [W]\n";
  for (int query = 0; query < count; ++query) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const int ms = 100 * query + within * gpu;
      text += "2023/07/14 10:10:" + std::to_string(26 + ms / 1000) + "." +
              std::to_string(1000 + ms % 1000).substr(1) + ", NVIDIA A100, " +
              std::to_string(50 * (gpu + 1)) + ".00 W\n";
    }
  }
  return text;
}

TEST(NvidiaSmiGpus, OfOneNameAreToldApartByTheirOrderInAQuery) {
  for (const int gpus : {2, 4, 8, 16}) {
    const auto log = parsed_log(queries(gpus, 1, 20));
    ASSERT_EQ(log.recordings.size(), static_cast<std::size_t>(gpus));
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const Recording& recording = log.recordings[static_cast<std::size_t>(gpu)];
      EXPECT_THAT(watts(recording, kUsageColumn), ElementsAre(50.0 * (gpu + 1)));
      EXPECT_EQ(recording.device.index, gpu);
      EXPECT_EQ(recording.traces[0].polls, 20U);
    }
    EXPECT_THAT(log.notes, ElementsAre(HasSubstr("by the order of their rows")));
  }
}

TEST(NvidiaSmiGpus, RowLostFromAQueryShiftsNoOther) {
  std::string text = queries(4, 1, 40);
  const std::size_t lost = text.find("2023/07/14 10:10:27.002");
  text.erase(lost, text.find('\n', lost) + 1 - lost);
  const auto log = parsed_log(text);
  ASSERT_EQ(log.recordings.size(), 4U);
  for (int gpu = 0; gpu < 4; ++gpu) {
    EXPECT_THAT(watts(log.recordings[static_cast<std::size_t>(gpu)], kUsageColumn),
                ElementsAre(50.0 * (gpu + 1)));
  }
}

TEST(NvidiaSmiGpus, OneGpuStaysOneHoweverItsRowsAreSpaced) {
  for (const auto& steps : {std::vector{20, 20}, std::vector{15, 25}, std::vector{40, 80}}) {
    std::string text = "timestamp, power.draw [W]\n";
    for (int i = 0, ms = 0; i < 60; ++i) {
      text += "2023/07/14 10:10:" + std::to_string(26 + ms / 1000) + "." +
              std::to_string(1000 + ms % 1000).substr(1) + ", 50.00 W\n";
      ms += steps[static_cast<std::size_t>(i % 2)];
    }
    EXPECT_EQ(parsed_log(text).recordings.size(), 1U);
  }
}

// Ten readings a second of one GPU, or of ten?
TEST(NvidiaSmiGpus, EqualStampsTooCoarseToTellAreRefused) {
  std::string text = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 300; ++i) {
    text += "2023/07/14 10:10:" + std::to_string(26 + i / 10) + ", 50.00 W\n";
  }
  const auto log = parse_nvidia_smi_log(text);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, Errc::ill_conditioned);
  EXPECT_THAT(log.error().message, HasSubstr("record index or uuid"));
}

TEST(NvidiaSmiGpus, ThatHaveNamesAloneAreNumberedAsTheyCome) {
  const auto log = parsed_log(
      "timestamp, uuid, power.draw [W]\n"
      "2023/07/14 10:10:26.000, GPU-b, 50.5 W\n"
      "2023/07/14 10:10:26.001, GPU-a, 60.5 W\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[0].device.index, 0);
  EXPECT_EQ(log.recordings[1].device.index, 1);
  EXPECT_EQ(log.recordings[1].device.uuid, "GPU-a");
  EXPECT_THAT(log.notes, Contains(HasSubstr("numbered in the order")));
}

/// One row a stamp of each GPU, 100 rounds; GPU i of n stands `after[i]` ms behind the round's
/// begin and draws 60 W, from the 30th to the 70th round 80 W more a place. `cell` is what tells it
/// apart.
template <class Cell>
std::string rounds(const std::string& title, int every, const std::vector<int>& after, Cell cell) {
  std::string text = "timestamp, " + title + ", power.draw [W]\n";
  for (int round = 0; round < 100; ++round) {
    for (std::size_t gpu = 0; gpu < after.size(); ++gpu) {
      const int ms = every * round + after[gpu] + round % 2;
      const bool works = round >= 30 && round < 70;
      const double watts = 60.0 + (works ? 80.0 * static_cast<double>(gpu) : 0.0) +
                           0.3 * std::sin(37.0 * round + 11.0 * static_cast<double>(gpu));
      text += fmt::format("2023/07/14 10:{:02}:{:02}.{:03}, {}, {:.2f} W\n", 10 + ms / 60000,
                          ms / 1000 % 60, ms % 1000, cell(gpu), watts);
    }
  }
  return text;
}

std::string error_of(const std::string& text) {
  const auto log = parse_nvidia_smi_log(text);
  EXPECT_FALSE(log);
  return log ? "" : log.error().message;
}

TEST(NvidiaSmiGpus, SlowQueriesAreToldApartOrRefused) {
  const auto name = [](std::size_t) { return "NVIDIA A100"; };
  for (const auto& [every, after] :
       {std::pair{100, std::vector{0, 20, 40}}, std::pair{20, std::vector{0, 4, 8}}}) {
    const auto log = parsed_log(rounds("name", every, after, name));
    ASSERT_EQ(log.recordings.size(), 3U) << every;
    EXPECT_EQ(log.recordings[2].traces[0].polls, 100U);
  }
  EXPECT_THAT(error_of(rounds("name", 100, {0, 30, 60}, name)), HasSubstr("in turn"));
}

TEST(NvidiaSmiGpus, OfOneIndexAreRefusedWhereTheyDoNotShowTheSame) {
  const auto zero = [](std::size_t) { return "0"; };
  for (const auto& after : {std::vector{0, 0}, std::vector{0, 4}, std::vector{0, 210}}) {
    EXPECT_THAT(error_of(rounds("index", 500, after, zero)), HasSubstr("column hostname"));
  }
  const auto uuid = [](std::size_t) { return "GPU-aa"; };
  EXPECT_EQ(parsed_log(rounds("uuid", 500, {0, 4}, uuid)).recordings.size(), 1U)
      << "a UUID is of one GPU";
}

TEST(NvidiaSmiGpus, OneThatTwoProgramsReadIsOne) {
  for (const auto& [title, cell] : {std::pair{"index", "0"}, std::pair{"name", "NVIDIA A100"}}) {
    std::string text = std::string("timestamp, ") + title + ", power.draw [W]\n";
    for (int i = 0; i < 200; ++i) {
      const int ms = i / 2 * 100 + (i % 2) * 7;
      // The reading changes between the two rows now and then.
      const int tick = (ms + (i / 2 % 8 == 0 ? 95 : 90)) / 100;
      text += fmt::format("2023/07/14 10:10:{:02}.{:03}, {}, {:.2f} W\n", ms / 1000, ms % 1000,
                          cell, 60.0 + 3.0 * std::sin(37.0 * tick));
    }
    const auto log = parsed_log(text);
    ASSERT_EQ(log.recordings.size(), 1U) << title;
    EXPECT_EQ(log.recordings[0].traces[0].polls, 200U);
  }
}

TEST(NvidiaSmiGpus, OfSeveralHostsAreToldApartByHostAndIndex) {
  for (const char* title : {"hostname", "Node", "instance"}) {
    const auto log =
        parsed_log(rounds(std::string(title) + ", index", 500, {0, 4, 8, 210}, [](std::size_t gpu) {
          return fmt::format("n{}, {}", gpu / 2, gpu % 2);
        }));
    ASSERT_EQ(log.recordings.size(), 4U) << title;
    for (int gpu = 0; gpu < 4; ++gpu) {
      const Recording& recording = log.recordings[static_cast<std::size_t>(gpu)];
      EXPECT_EQ(recording.device.host, gpu < 2 ? "n0" : "n1");
      EXPECT_EQ(recording.device.index, gpu);
      EXPECT_EQ(recording.traces[0].polls, 100U);
    }
    EXPECT_THAT(log.notes, Contains(HasSubstr("numbered in the order")));
  }
}

TEST(NvidiaSmiGpus, OfOneHostHaveNoHost) {
  const auto log = parsed_log(rounds("hostname, index", 500, {0, 4},
                                     [](std::size_t gpu) { return fmt::format("n0, {}", gpu); }));
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[0].device.host, "");
}

TEST(NvidiaSmiGpus, RowWhoseHostCannotBeReadMakesNoGpu) {
  const auto log = parsed_log(
      "timestamp, hostname, index, power.draw [W]\n"
      "2023/07/14 10:10:26.000, n0, 0, 50.00\n"
      "2023/07/14 10:10:26.001, n1, 0, 70.00\n"
      "2023/07/14 10:10:26.100, n\x01, 0, 51.00\n"
      "2023/07/14 10:10:26.101, n1, 0, 70.50\n");
  EXPECT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.bad_rows, 1U);
}

TEST(QueryOrder, RoundsShowInDistancesBeyondRounding) {
  std::vector<DriverTime> three;
  std::vector<DriverTime> rounded;
  for (int i = 0; i < 60; ++i) {
    three.emplace_back(std::chrono::milliseconds(100 * (i / 3) + 30 * (i % 3) + i % 2));
    rounded.emplace_back(std::chrono::milliseconds(100 * i / 3));
  }
  EXPECT_THAT(rounds_of(three), Contains(3U));
  EXPECT_THAT(rounds_of(rounded), testing::IsEmpty());
  EXPECT_THAT(rounds_of({}), testing::IsEmpty());
}

TEST(QueryOrder, ValuesThatComeInTurnAreOfSeveralGpus) {
  std::vector<double> in_turn;
  std::vector<double> of_one;
  for (int i = 0; i < 200; ++i) {
    const double work = i > 80 && i < 140 ? 240.0 : 0.0;
    const double noise = 0.3 * std::sin(37.0 * i);
    in_turn.push_back((i % 2 == 0 ? 70.0 + work : 90.0 + 1.5 * work) + noise);
    of_one.push_back(70.0 + (i % 2 == 0 ? work : 0.0) + noise);
  }
  EXPECT_TRUE(come_in_turn(in_turn));
  EXPECT_FALSE(come_in_turn(of_one)) << "work in step with the rows, idle beside it";
  EXPECT_FALSE(come_in_turn(std::vector<double>(200, 70.0)));
}

}  // namespace
}  // namespace truewatt::trace
