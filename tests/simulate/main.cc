// The simulator: runs a store under faults, kills and power cuts. Each run has its own seed and process.
//
//   klip_simulate [--first N] [--seeds N] [--jobs N]    runs seeds and prints those that failed; exit code 1 if any did
//   klip_simulate --twice yes ...                       each seed twice; fails if the two runs differ
//   klip_simulate --replay SEED                         one seed, and prints its operations
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulate/disk.h"
#include "simulate/run.h"
#include "simulate/schedule.h"

namespace klip::simulate {
namespace {

constexpr unsigned kLongestRunS = 120;  // of the system's clock: then it hangs

struct Options {
  uint64_t first = 1;
  uint64_t seeds = 100;
  size_t jobs = 1;
  bool replay = false;
  bool twice = false;
};

std::string DirectoryOf(pid_t process) {
  return (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") + ("/klip_simulate_" + std::to_string(process));
}

// The run of this process, for the handler of aborts.
Run* the_run = nullptr;
bool tells = false;

void Tell() {
  printf("%s", the_run->log.c_str());
  for (const std::string& line : Disk::The().Trace()) {
    printf("  %s\n", line.c_str());
  }
}

void TellAndEnd(int number) {
  if (tells) {
    Tell();
  }
  fflush(stdout);
  signal(number, SIG_DFL);
  raise(number);
}

// In the process of the run.
[[noreturn]] void RunSeed(uint64_t seed, bool tell) {
  alarm(kLongestRunS);
  auto* const run = new Run;
  run->seed = seed;
  std::filesystem::create_directories(DirectoryOf(getpid()));
  if (chdir(DirectoryOf(getpid()).c_str()) != 0) {
    abort();
  }
  run->directory = "/proc/self/cwd/disk";  // the same name for each run
  the_run = run;
  tells = tell;
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGALRM}) {
    signal(number, TellAndEnd);
  }
  Disk::The().Mount(run->directory);
  ops::Random random(seed ^ 0x5eed);
  StartSchedule({.seed = random.Bits(), .switch_one_in = random.Pick<uint64_t>({0, 5, 20, 100})});
  const std::string wrong = seed % 3 == 0 ? RunOps(run) : RunClients(run);
  if (tell) {
    Tell();
  }
  printf("%s%sdigest %016llx operations %lld cuts %lld faults %lld\n", wrong.c_str(), wrong.empty() ? "" : "\n",
         static_cast<unsigned long long>(Disk::The().digest()), static_cast<long long>(run->operations),
         static_cast<long long>(run->cuts), static_cast<long long>(run->faults));
  fflush(stdout);
  _exit(wrong.empty() ? 0 : 1);
}

struct Child {
  uint64_t seed = 0;
  pid_t pid = 0;
  int output = -1;
  std::string text;
};

Child Start(uint64_t seed) {
  int ends[2];
  if (pipe(ends) != 0) {
    abort();
  }
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    RunSeed(seed, /*tell=*/false);
  }
  close(ends[1]);
  return {seed, pid, ends[0], ""};
}

struct Totals {
  uint64_t runs = 0;
  long long operations = 0;
  long long cuts = 0;
  long long faults = 0;
  std::vector<uint64_t> failed;
  std::map<uint64_t, std::string> ends;  // the last line of the seeds' runs
};

void Finish(Child* child, Totals* totals) {
  int status = 0;
  waitpid(child->pid, &status, 0);
  close(child->output);
  std::filesystem::remove_all(DirectoryOf(child->pid));
  ++totals->runs;
  long long operations = 0;
  long long cuts = 0;
  long long faults = 0;
  std::string differs;
  const size_t last = child->text.rfind("digest ");
  if (last != std::string::npos &&
      sscanf(child->text.c_str() + last, "digest %*x operations %lld cuts %lld faults %lld", &operations, &cuts,
             &faults) == 3) {
    totals->operations += operations;
    totals->cuts += cuts;
    totals->faults += faults;
    const auto [before, is_first] = totals->ends.emplace(child->seed, child->text.substr(last));
    differs = is_first || before->second == child->text.substr(last)
                  ? ""
                  : "a second run is not the first one: " + before->second;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !differs.empty()) {
    totals->failed.push_back(child->seed);
    const std::string how = !WIFSIGNALED(status)          ? ""
                            : WTERMSIG(status) == SIGALRM ? "it hangs\n"
                                                          : std::string(strsignal(WTERMSIG(status))) + "\n";
    printf("seed %llu failed: %s%s", static_cast<unsigned long long>(child->seed), how.c_str(),
           child->text.substr(0, 2000).c_str());
    fflush(stdout);
  }
}

int RunSeeds(const Options& options) {
  Totals totals;
  std::vector<Child> children;
  const uint64_t times = options.twice ? 2 : 1;
  uint64_t next = 0;
  while (next < options.seeds * times || !children.empty()) {
    while (next < options.seeds * times && children.size() < options.jobs) {
      children.push_back(Start(options.first + next++ / times));
    }
    std::vector<pollfd> waiting;
    for (const Child& child : children) {
      waiting.push_back({child.output, POLLIN, 0});
    }
    poll(waiting.data(), waiting.size(), -1);
    for (size_t i = children.size(); i-- > 0;) {
      char buffer[4096];
      const ssize_t size = waiting[i].revents == 0 ? -1 : read(children[i].output, buffer, sizeof(buffer));
      if (size > 0) {
        children[i].text.append(buffer, static_cast<size_t>(size));
      } else if (size == 0) {
        Finish(&children[i], &totals);
        children.erase(children.begin() + static_cast<ptrdiff_t>(i));
      }
    }
  }
  printf("%llu runs, %lld acknowledged operations, %lld cuts, %lld failed calls: %zu failed\n",
         static_cast<unsigned long long>(totals.runs), totals.operations, totals.cuts, totals.faults,
         totals.failed.size());
  for (const uint64_t seed : totals.failed) {
    printf("  klip_simulate --replay %llu\n", static_cast<unsigned long long>(seed));
  }
  return totals.failed.empty() ? 0 : 1;
}

// Addresses have no influence if they are equal in each run. A cache per thread would be freed at an unpredictable moment.
void FixAddresses(char** arguments) {
  setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1", 1);
  const int now = personality(0xffffffff);
  if (now >= 0 && (now & ADDR_NO_RANDOMIZE) == 0 &&
      personality(static_cast<unsigned long>(now | ADDR_NO_RANDOMIZE)) >= 0) {
    execv("/proc/self/exe", arguments);
  }
}

int Main(int argc, char** argv) {
  FixAddresses(argv);
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const uint64_t value = i + 1 < argc ? strtoull(argv[i + 1], nullptr, 10) : 0;
    if (name == "--first") {
      options.first = value;
    } else if (name == "--seeds") {
      options.seeds = value;
    } else if (name == "--jobs" && value > 0) {
      options.jobs = value;
    } else if (name == "--twice") {
      options.twice = true;
    } else if (name == "--replay") {
      options.first = value;
      options.replay = true;
    } else {
      fprintf(stderr, "usage: klip_simulate [--first N] [--seeds N] [--jobs N] [--twice yes] | --replay SEED\n");
      return 2;
    }
  }
  if (options.replay) {
    RunSeed(options.first, /*tell=*/true);
  }
  if (options.twice && (personality(0xffffffff) & ADDR_NO_RANDOMIZE) == 0) {
    printf("addresses differ from run to run, as this process may not fix them: no seed is run twice\n");
    options.twice = false;
  }
  return RunSeeds(options);
}

}  // namespace
}  // namespace klip::simulate

int main(int argc, char** argv) { return klip::simulate::Main(argc, argv); }
