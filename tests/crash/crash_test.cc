// Kills a writing process at random times and at named points, reopens its store and checks: no acknowledged write lost,
// no row partly written, no pair of tables inconsistent, no increment lost or executed twice. Some rounds also simulate a
// power failure: bytes that were never fsynced are cut off the files.
//
//   KLIP_KILLS=n   how many (default 200)      KLIP_SEED=n
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temp_directory_test.h"
#include "crash/crash_log.h"
#include "crash/crash_points.h"
#include "crash/crash_state.h"
#include "ops/random.h"

namespace klip::crash {
namespace {

struct Child {
  pid_t pid = 0;
  int output = -1;
};

Child StartWriter(const std::string& directory, uint64_t seed, bool sync, const std::string& point,
                  const std::string& log) {
  int pipe_fds[2];
  if (pipe(pipe_fds) != 0) {
    abort();
  }
  const std::string seed_text = std::to_string(seed);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(pipe_fds[1], 1);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    if (!point.empty()) {
      setenv("KLIP_CRASH_POINT", point.c_str(), 1);
    }
    setenv("KLIP_SYNC_LOG", log.c_str(), 1);
    execl(KLIP_CRASH_WRITER, KLIP_CRASH_WRITER, directory.c_str(), seed_text.c_str(), sync ? "sync" : "os", nullptr);
    _exit(3);
  }
  close(pipe_fds[1]);
  return {pid, pipe_fds[0]};
}

// Reads the child's output for `run_ms`, kills it, and reads the rest.
std::string ReadUntilKilled(const Child& child, int64_t run_ms, int* wait_status) {
  std::string output;
  char buffer[65536];
  bool killed = false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(run_ms);
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{child.output, POLLIN, 0};
    poll(&waiting, 1, killed ? -1 : std::max(0, static_cast<int>(left.count())));
    if (!killed && std::chrono::steady_clock::now() >= deadline) {
      kill(child.pid, SIGKILL);
      killed = true;
    }
    if (waiting.revents == 0) {
      continue;
    }
    const ssize_t size = read(child.output, buffer, sizeof(buffer));
    if (size <= 0) {
      break;
    }
    output.append(buffer, static_cast<size_t>(size));
  }
  close(child.output);
  waitpid(child.pid, wait_status, 0);
  return output;
}

std::map<uint64_t, int64_t> FileSizes(const std::string& directory) {
  std::map<uint64_t, int64_t> sizes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    struct stat file = {};
    if (entry.is_regular_file() && stat(entry.path().c_str(), &file) == 0) {
      sizes[file.st_ino] = file.st_size;
    }
  }
  return sizes;
}

// Cuts off every byte that was not synced: `durable` are the sizes before, then what the sync log says.
void LosePower(const std::string& directory, std::map<uint64_t, int64_t> durable, const std::string& log) {
  for (const SyncRecord& record : ReadSyncLog(log)) {
    durable[record.inode] = record.size_bytes == 0 ? 0 : std::max(durable[record.inode], record.size_bytes);
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    struct stat file = {};
    if (entry.is_regular_file() && stat(entry.path().c_str(), &file) == 0 && file.st_size > durable[file.st_ino]) {
      ASSERT_EQ(truncate(entry.path().c_str(), durable[file.st_ino]), 0);
    }
  }
}

struct Round {
  bool sync = false;
  bool power_loss = false;
  std::string point;  // empty: a random time
  int64_t run_ms = 0;
};

Round MakeRound(ops::Random* random) {
  Round round;
  round.sync = random->OneIn(2);
  round.power_loss = round.sync && random->OneIn(2);
  round.run_ms = random->Between(1, random->OneIn(4) ? 400 : 150);
  if (random->OneIn(2)) {
    const std::vector<std::string> kPoints = {"write", "write", "fdatasync", "fsync", "rename", "unlink", "ftruncate"};
    const std::string call = random->Pick(kPoints);
    const std::string what = call == "write" && random->OneIn(3) ? "half" : random->OneIn(2) ? "before" : "after";
    round.point = call + ":" + std::to_string(random->Between(1, random->OneIn(2) ? 12 : 200)) + ":" + what;
    round.run_ms = 500;
  }
  return round;
}

std::string Describe(const Round& round) {
  return (round.sync ? "sync" : "os") + std::string(round.power_loss ? ", power loss" : "") + ", " +
         (round.point.empty() ? "killed after " + std::to_string(round.run_ms) + " ms" : round.point);
}

TEST(Crash, LosesNothingAcknowledged) {
  const int64_t kills = ops::NumberFromEnvironment("KLIP_KILLS", 200);
  const uint64_t seed = ops::SeedFromEnvironment(static_cast<uint64_t>(getpid()));
  printf("KLIP_SEED=%llu\n", static_cast<unsigned long long>(seed));
  ops::Random random(seed);
  TempDirectory temp;
  const std::string directory = temp.Sub("store");
  Items items;
  size_t acknowledged = 0;
  int64_t at_points = 0;
  std::filesystem::create_directory(directory);
  for (int64_t kill_number = 0; kill_number < kills; ++kill_number) {
    const Round round = MakeRound(&random);
    const std::string log = temp.Sub("sync_log");
    std::filesystem::remove(log);
    const auto durable = FileSizes(directory);
    const Child child = StartWriter(directory, random.Bits() >> 8, round.sync, round.point, log);
    int status = 0;
    const auto started = std::chrono::steady_clock::now();
    const std::string output = ReadUntilKilled(child, round.run_ms, &status);
    const auto ran = std::chrono::steady_clock::now() - started;
    at_points += !round.point.empty() && ran < std::chrono::milliseconds(round.run_ms) ? 1 : 0;
    const Allowed allowed = AfterLog(items, output);
    const std::string what = "round " + std::to_string(kill_number) + ", " + Describe(round);
    ASSERT_EQ(allowed.error, "") << what;
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        << what << ": the writer ended by itself, " << status;
    if (round.power_loss) {
      LosePower(directory, durable, log);
    }
    Expected<std::unique_ptr<Connection>> connection = Connection::Open("klip:" + directory);
    ASSERT_TRUE(connection.ok()) << what << ": " << connection.status().ToString();
    ASSERT_TRUE(CreateTables(connection->get()).ok()) << what;
    Expected<Items> found = ReadItems(connection->get());
    ASSERT_TRUE(found.ok()) << what << ": " << found.status().ToString();
    ASSERT_EQ(Compare(items, *found, allowed), "") << what;
    items = *found;
    acknowledged += allowed.acknowledged;
  }
  printf("%lld kills (%lld at named points), %zu acknowledged writes, none lost\n", static_cast<long long>(kills),
         static_cast<long long>(at_points), acknowledged);
}

// A disk that fails: the store stops acknowledging and reports why, and all that it acknowledged exists afterwards.
TEST(Crash, FailingDiskLosesNothingAcknowledged) {
  for (const char* point :
       {"fdatasync:20:eio", "write:40:enospc", "fsync:3:eio", "write:400:enospc", "fdatasync:1:eio"}) {
    TempDirectory temp;
    const std::string directory = temp.Sub("store");
    {
      Expected<std::unique_ptr<Connection>> connection = Connection::Open("klip:" + directory);
      ASSERT_TRUE(connection.ok()) << connection.status().ToString();
      ASSERT_TRUE(CreateTables(connection->get()).ok());
    }
    const Child child = StartWriter(directory, 7, true, point, temp.Sub("log"));
    int status = 0;
    constexpr int64_t kLongMs = 60000;  // the writer's threads end when they fail
    const std::string output = ReadUntilKilled(child, kLongMs, &status);
    const Allowed allowed = AfterLog({}, output);
    EXPECT_NE(allowed.error, "") << point << ": no write failed";
    EXPECT_EQ(allowed.error.find("Corruption"), std::string::npos) << point << ": " << allowed.error;
    Expected<std::unique_ptr<Connection>> connection = Connection::Open("klip:" + directory);
    ASSERT_TRUE(connection.ok()) << point << ": " << connection.status().ToString();
    Expected<Items> found = ReadItems(connection->get());
    ASSERT_TRUE(found.ok()) << point << ": " << found.status().ToString();
    // A write that failed may exist or not; each thread has one such write at most.
    EXPECT_EQ(Compare({}, *found, allowed), "") << point << "\n" << allowed.error;
  }
}

}  // namespace
}  // namespace klip::crash
