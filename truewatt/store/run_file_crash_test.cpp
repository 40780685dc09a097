// What is left of a run file when its writer is killed, its disk is full, or its folder may not be
// written. Every test lets a forked child do the harm.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include "truewatt/store/run_file.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

constexpr SourceId kInstantPower{SourceKind::power_instant, Scope::gpu};
constexpr int kBatch = 1000;

class RunFileCrashTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("truewatt-{}-{}", test->name(), getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "run.db"; }

  std::filesystem::path folder_;
};

/// The i-th batch of a sequence that says by itself where it belongs.
std::vector<Sample> batch(int index) {
  std::vector<Sample> samples(kBatch);
  for (int i = 0; i < kBatch; ++i) {
    const std::int64_t number = std::int64_t{index} * kBatch + i;
    const HostTime seen(Nanoseconds(number * 1000 + 1));
    samples[static_cast<std::size_t>(i)] = {seen - Nanoseconds(1), seen, std::nullopt,
                                            static_cast<double>(number) * 0.1};
  }
  return samples;
}

/// Number of whole batches in the file; fails the test when it holds anything but the sequence.
int batches_in(const std::filesystem::path& path) {
  const auto read = read_run_file(path);
  EXPECT_TRUE(read) << read.error().message;
  if (!read) return -1;
  const auto& samples = read->devices.at(0).recording.traces.at(0).samples;
  EXPECT_EQ(samples.size() % kBatch, 0U) << "half a commit";
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool right = count_ns(samples[i].seen) == static_cast<std::int64_t>(i) * 1000 + 1 &&
                       samples[i].value == static_cast<double>(i) * 0.1;
    EXPECT_TRUE(right) << "sample " << i;
    if (!right) return -1;
  }
  return static_cast<int>(samples.size() / kBatch);
}

Result<RunFileWriter> begin_file(const std::filesystem::path& path) {
  auto writer = RunFileWriter::create(path, {}, {.survive_power_cut = false});
  const std::vector<SourceId> sources = {kInstantPower};
  if (writer) (void)writer->add_device({.uuid = "GPU-1"}, sources);
  return writer;
}

/// Runs `child` in a forked process and returns its wait status. The child's exit code is what
/// `child` returns.
template <class Child>
int run_child(Child&& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

/// Leaves a file with three committed batches and one that is not, as a kill -9 leaves it.
void kill_after_three_batches(const std::filesystem::path& path) {
  const int status = run_child([&] {
    auto writer = begin_file(path);
    for (int i = 0; i < 3; ++i) {
      if (!writer->append(0, kInstantPower, batch(i)) || !writer->commit()) return 1;
    }
    (void)writer->append(0, kInstantPower, batch(3));
    raise(SIGKILL);
    return 2;
  });
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
}

TEST_F(RunFileCrashTest, KeepsEveryCommitWhenItsWriterIsKilled) {
  kill_after_three_batches(file());
  EXPECT_EQ(batches_in(file()), 3);
  EXPECT_FALSE(read_run_file(file())->finished);
}

TEST_F(RunFileCrashTest, KeepsEveryAcknowledgedCommitWhenKilledAnywhere) {
  int acknowledged[2];
  ASSERT_EQ(pipe(acknowledged), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    auto writer = begin_file(file());
    for (int i = 0; true; ++i) {
      if (!writer->append(0, kInstantPower, batch(i)) || !writer->commit()) _exit(1);
      if (write(acknowledged[1], &i, sizeof i) != sizeof i) _exit(2);
    }
  }
  int last = -1;
  // 300 batches are 12 MB: past several checkpoints of the -wal into the file.
  while (last < 300 && ::read(acknowledged[0], &last, sizeof last) == sizeof last) continue;
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  close(acknowledged[0]);
  close(acknowledged[1]);
  ASSERT_EQ(last, 300) << "the writer failed by itself, status " << status;
  EXPECT_GE(batches_in(file()), last + 1);
}

TEST_F(RunFileCrashTest, CanBeReplacedAfterAKill) {
  kill_after_three_batches(file());
  ASSERT_TRUE(begin_file(file())->finish());
  EXPECT_EQ(batches_in(file()), 0);
}

/// Writes batches until that fails and notes in `notes` how many were committed and the error. 0
/// when everything about the failure is as promised.
int write_until_full(const std::filesystem::path& path, const std::filesystem::path& notes) {
  auto writer = begin_file(path);
  if (!writer) return 1;
  int committed = 0;
  Result<void> done;
  while (done && committed < 100'000) {
    done = writer->append(0, kInstantPower, batch(committed));
    if (done) done = writer->commit();
    if (done) ++committed;
  }
  if (done || committed == 0) return 2;
  const Error first = done.error();
  std::ofstream(notes) << committed << '\n' << first.message;
  if (first.code != Errc::io) return 3;
  if (first.message.find(path.string()) == std::string::npos) return 4;
  if (first.message.find("free some space") == std::string::npos) return 5;
  for (const auto& later : {writer->commit(), writer->append(0, Window{}), writer->finish()}) {
    if (later || later.error().message != first.message) return 6;
  }
  return 0;
}

struct Notes {
  int batches = -1;
  std::string message;
};

Notes read_notes(const std::filesystem::path& path) {
  Notes notes;
  std::ifstream stream(path);
  stream >> notes.batches >> std::ws;
  std::getline(stream, notes.message);
  return notes;
}

TEST_F(RunFileCrashTest, KeepsEveryCommitWhenTheFileSizeLimitIsReached) {
  const int status = run_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3'000'000, 3'000'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    return write_until_full(file(), folder_ / "notes");
  });
  ASSERT_TRUE(WIFEXITED(status));
  const Notes notes = read_notes(folder_ / "notes");
  ASSERT_EQ(WEXITSTATUS(status), 0) << notes.message;
  EXPECT_EQ(batches_in(file()), notes.batches);
  EXPECT_THAT(notes.message, HasSubstr("file size limit"));
}

TEST_F(RunFileCrashTest, KeepsEveryCommitWhenTheDiskIsFull) {
  constexpr int kNoMount = 77;
  const std::filesystem::path disk = folder_ / "disk";
  const std::filesystem::path copy = folder_ / "copy";
  std::filesystem::create_directories(disk);
  const int status = run_child([&] {
    // A disk of 8 MB that only this child sees and that goes when it ends.
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", nullptr, MS_PRIVATE | MS_REC, nullptr) != 0 ||
        mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8m") != 0) {
      return kNoMount;
    }
    const int written = write_until_full(disk / "run.db", folder_ / "notes");
    if (written != 0) return written;
    // Reading works on the full disk itself.
    return batches_in(disk / "run.db") == read_notes(folder_ / "notes").batches ? 0 : 20;
  });
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoMount) GTEST_SKIP() << "mounting a small disk needs root";
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(read_notes(folder_ / "notes").message, HasSubstr("file system is full"));
}

/// Batches that a user finds who may read the folder of `path` and not write there.
int batches_read_only(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  constexpr auto kReadable = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  constexpr auto kEnterable =
      kReadable | fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  for (const auto& entry : fs::directory_iterator(path.parent_path())) {
    fs::permissions(entry.path(), kReadable);
  }
  fs::permissions(path.parent_path(), kEnterable);
  const int status = run_child([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setuid(kNobody) != 0) return 100;
    const int batches = batches_in(path);
    return batches < 0 ? 101 : batches;
  });
  fs::permissions(path.parent_path(), fs::perms::owner_all);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(RunFileCrashTest, IsReadInAReadOnlyFolder) {
  kill_after_three_batches(file());
  EXPECT_EQ(batches_read_only(file()), 3) << "with -wal and -shm";
  std::filesystem::remove(file().string() + "-shm");
  EXPECT_EQ(batches_read_only(file()), 3) << "with -wal alone";
  ASSERT_TRUE(begin_file(file())->finish());
  EXPECT_EQ(batches_read_only(file()), 0) << "finished";
}

TEST_F(RunFileCrashTest, IsLeftAsItWasByReading) {
  kill_after_three_batches(file());
  const auto sizes = [&] {
    return std::pair(std::filesystem::file_size(file()),
                     std::filesystem::file_size(file().string() + "-wal"));
  };
  const auto before = sizes();
  EXPECT_EQ(batches_in(file()), 3);
  EXPECT_EQ(sizes(), before);
}

}  // namespace
}  // namespace truewatt::store
