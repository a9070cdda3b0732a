// The sweep: fails every system call of every operation, in every way, and checks the contents of the store.
//
//   klip_sweep [--jobs N] [--only TEXT]      every case; of the operations whose names contain TEXT
//   klip_sweep --sample N [--seed S]         N of them, of some operations, chosen by a seed
//   klip_sweep --replay OPERATION PLAN       one case, as named in a failure; keeps its files
//
// For each operation, each kind of call and each way to fail (kWays), the sweep fails the first, the second, ... call of
// that kind, once or from then on, until the operation makes no more of them. It also cuts the power before each call
// that changes the disk. Each case runs on a copy of the operation's store, in separate processes. A case fails if a
// process aborts or hangs; if the store does not open afterwards or has damaged files; if an acknowledged change is
// missing, or a refused one exists in part (Operation::in_pieces); or if the output of klip differs from that without
// faults.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "ops/random.h"
#include "sweep/case.h"
#include "sweep/child.h"

namespace klip::sweep {
namespace {

using simulate::Call;
using simulate::Loss;

struct FailingWay {
  Call call;
  int error;   // 0: reads and writes do less than they were asked for
  bool lasts;  // it is tried for one call, and for all from it on
};

const std::vector<FailingWay> kWays = {
    {Call::kOpen, EMFILE, true},
    {Call::kOpen, EIO, true},
    {Call::kOpen, ENOSPC, true},
    {Call::kOpen, EINTR, false},
    {Call::kRead, EIO, true},
    {Call::kRead, EINTR, false},
    {Call::kRead, 0, true},
    {Call::kWrite, EIO, true},
    {Call::kWrite, ENOSPC, true},
    {Call::kWrite, EINTR, false},
    {Call::kWrite, 0, true},
    {Call::kSync, EIO, true},
    {Call::kSync, ENOSPC, true},
    {Call::kSync, EINTR, false},
    {Call::kSyncDirectory, EIO, true},
    {Call::kRename, EIO, true},
    {Call::kRename, ENOSPC, true},
    {Call::kLink, EIO, true},
    {Call::kLink, ENOSPC, true},
    {Call::kUnlink, EIO, true},
    {Call::kMakeDirectory, EIO, true},
    {Call::kMakeDirectory, ENOSPC, true},
    {Call::kTruncate, EIO, true},
    {Call::kAllocate, ENOSPC, true},
    {Call::kAllocate, EINTR, false},
    {Call::kList, EMFILE, true},
    {Call::kList, EIO, true},
    {Call::kLook, EIO, true},
    {Call::kAny, EIO, true},
    {Call::kAny, ENOSPC, true},
};

constexpr size_t kOfOperation = 5;  // cases of a sample, at least: a run without faults costs as much as some

struct Options {
  size_t jobs = 1;
  std::string only;
  int64_t sample = 0;  // 0: all
  uint64_t seed = 1;
  std::string operation;  // to replay
  std::string plan;
};

std::string DirectoryOf(size_t job) {
  return (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") + ("/klip_sweep_" + std::to_string(getpid())) +
         "_" + std::to_string(job);
}

// The first plan of each series; the others have the next numbers.
std::vector<Plan> Series() {
  std::vector<Plan> series;
  for (const FailingWay& way : kWays) {
    for (const bool lasting : {false, true}) {
      // One call of any kind is one of its kind.
      if (lasting ? way.lasts : way.call != Call::kAny) {
        series.push_back({.fault = {.call = way.call, .number = 1, .error = way.error, .lasting = lasting}});
      }
    }
  }
  for (const Loss loss : {Loss::kUnsynced, Loss::kPrefix, Loss::kPages}) {
    series.push_back({.cut_at = 1, .loss = loss});
  }
  return series;
}

Plan Numbered(Plan plan, int64_t number) {
  if (plan.cut_at > 0) {
    plan.cut_at = number;
  } else {
    plan.fault.number = number;
    plan.killed = number % 2 == 0;
  }
  return plan;
}

int64_t CallsOf(const Baseline& baseline, const Plan& plan) {
  if (plan.cut_at > 0) {
    return baseline.changes;
  }
  if (plan.fault.call != Call::kAny) {
    return baseline.calls.at(plan.fault.call);
  }
  int64_t all = 0;
  for (const auto& [call, count] : baseline.calls) {
    all += count;
  }
  return all;
}

struct Tally {
  int64_t done = 0;
  int64_t refused = 0;
  int64_t wrong = 0;
  int64_t cuts = 0;  // of all of them
};

// What one job does: operations, as it can get them from the other jobs, with all their cases or a sample of them.
class Job {
 public:
  Job(const Options& options, std::string directory, int screen)
      : options_(options), directory_(std::move(directory)), screen_(screen) {}

  Tally Run(const Operation& operation) {
    tally_ = {};
    Case one(operation, directory_);
    if (const std::string wrong = one.FindBaseline(); !wrong.empty()) {
      Tell(operation.name + ", without faults: " + wrong);
      ++tally_.wrong;
    } else if (options_.sample > 0) {
      RunSample(operation, one);
    } else {
      RunAll(operation, one);
    }
    std::filesystem::remove_all(directory_);
    return tally_;
  }

 private:
  void Tell(const std::string& text) const { dprintf(screen_, "%s\n", text.c_str()); }

  // Whether the plan's call was reached.
  bool RunOne(const Operation& operation, const Case& one, const Plan& plan) {
    const Outcome outcome = one.Run(plan);
    tally_.done += outcome.verdict == Verdict::kDone ? 1 : 0;
    tally_.refused += outcome.verdict == Verdict::kRefused ? 1 : 0;
    tally_.cuts += outcome.verdict != Verdict::kNotReached && plan.cut_at > 0 ? 1 : 0;
    if (outcome.verdict == Verdict::kWrong) {
      ++tally_.wrong;
      Tell("WRONG: klip_sweep --replay '" + operation.name + "' '" + plan.ToString() + "'\n" + outcome.text);
    }
    return outcome.verdict != Verdict::kNotReached;
  }

  // To the end of the numbers: threads may make some calls more than in the run without faults.
  void RunAll(const Operation& operation, const Case& one) {
    for (const Plan& first : Series()) {
      const int64_t count = CallsOf(one.baseline(), first);
      for (int64_t number = 1; RunOne(operation, one, Numbered(first, number)) || number < count; ++number) {
      }
    }
  }

  void RunSample(const Operation& operation, const Case& one) {
    ops::Random random(options_.seed ^ std::hash<std::string>()(operation.name));
    std::vector<Plan> plans;
    for (const Plan& first : Series()) {
      for (int64_t number = CallsOf(one.baseline(), first); number > 0; --number) {
        plans.push_back(Numbered(first, number));
      }
    }
    const size_t share = std::max(kOfOperation, static_cast<size_t>(options_.sample) / Operations().size());
    for (size_t i = 0; i < share && !plans.empty(); ++i) {
      RunOne(operation, one, random.Pick(plans));
    }
  }

  const Options& options_;
  const std::string directory_;
  const int screen_;
  Tally tally_;
};

// All operations to try, or enough of them for the size of the sample.
std::vector<const Operation*> Chosen(const Options& options) {
  std::vector<const Operation*> chosen;
  for (const Operation& operation : Operations()) {
    if (operation.name.find(options.only) != std::string::npos) {
      chosen.push_back(&operation);
    }
  }
  ops::Random random(options.seed);
  const size_t most = (static_cast<size_t>(options.sample) + kOfOperation - 1) / kOfOperation;
  while (options.sample > 0 && chosen.size() > most) {
    chosen.erase(chosen.begin() + static_cast<ptrdiff_t>(random.Below(chosen.size())));
  }
  return chosen;
}

// Of all jobs: the operation that the next one to be free takes.
std::atomic<size_t>* SharedCounter() {
  void* const page =
      mmap(nullptr, sizeof(std::atomic<size_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? nullptr : new (page) std::atomic<size_t>(0);
}

std::string RunJob(const Options& options, size_t job, std::atomic<size_t>* next, int screen) {
  nlohmann::json all = nlohmann::json::object();
  const std::vector<const Operation*> chosen = Chosen(options);
  for (size_t i = (*next)++; i < chosen.size(); i = (*next)++) {
    const std::string& name = chosen[i]->name;
    const Tally tally = Job(options, DirectoryOf(job), screen).Run(*chosen[i]);
    dprintf(screen, "%s: %lld cases\n", name.c_str(), static_cast<long long>(tally.done + tally.refused + tally.wrong));
    all[name] = {tally.done, tally.refused, tally.wrong, tally.cuts};
  }
  return all.dump();
}

// The table for docs/reliability.md.
int Print(const std::map<std::string, Tally>& tallies) {
  Tally sum;
  printf(
      "| operation | runs | power cuts of these | done all the same | refused | wrong |\n|---|---|---|---|---|---|\n");
  for (const Operation& operation : Operations()) {
    if (const auto found = tallies.find(operation.name); found != tallies.end()) {
      const Tally& tally = found->second;
      printf("| %s | %lld | %lld | %lld | %lld | %lld |\n", operation.name.c_str(),
             static_cast<long long>(tally.done + tally.refused + tally.wrong), static_cast<long long>(tally.cuts),
             static_cast<long long>(tally.done), static_cast<long long>(tally.refused),
             static_cast<long long>(tally.wrong));
      sum = {sum.done + tally.done, sum.refused + tally.refused, sum.wrong + tally.wrong, sum.cuts + tally.cuts};
    }
  }
  printf("| all | %lld | %lld | %lld | %lld | %lld |\n", static_cast<long long>(sum.done + sum.refused + sum.wrong),
         static_cast<long long>(sum.cuts), static_cast<long long>(sum.done), static_cast<long long>(sum.refused),
         static_cast<long long>(sum.wrong));
  return sum.wrong == 0 && sum.done + sum.refused > 0 ? 0 : 1;
}

int Sweep(const Options& options) {
  constexpr int64_t kNeverMs = int64_t{1} << 31;
  std::atomic<size_t>* const next = SharedCounter();
  const int screen = dup(1);
  std::vector<std::unique_ptr<Child>> jobs;
  for (size_t i = 0; i < options.jobs; ++i) {
    jobs.push_back(std::make_unique<Child>([&] { return RunJob(options, i, next, screen); }));
  }
  std::map<std::string, Tally> tallies;
  for (const auto& job : jobs) {
    const Ended ended = job->Wait(kNeverMs - 1);
    const nlohmann::json said = nlohmann::json::parse(ended.said, nullptr, /*allow_exceptions=*/false);
    if (!said.is_object()) {
      printf("a job ended: %s %s\n", ended.What().c_str(), ended.noise.c_str());
      return 1;
    }
    for (const auto& [name, tally] : said.items()) {
      tallies[name] = {tally[0], tally[1], tally[2], tally[3]};
    }
  }
  return Print(tallies);
}

int Replay(const Options& options) {
  for (const Operation& operation : Operations()) {
    if (operation.name != options.operation) {
      continue;
    }
    Case one(operation, DirectoryOf(0));
    if (const std::string wrong = one.FindBaseline(); !wrong.empty()) {
      printf("without faults: %s\n", wrong.c_str());
      return 1;
    }
    for (const Plan& first : Series()) {
      for (int64_t number = 1; number <= 2 * CallsOf(one.baseline(), first) + 1; ++number) {
        if (const Plan plan = Numbered(first, number); plan.ToString() == options.plan) {
          const Outcome outcome = one.Run(plan);
          static constexpr const char* kVerdicts[] = {"not reached", "done all the same", "refused", "WRONG"};
          printf("%s: %s\n%s\n", DirectoryOf(0).c_str(), kVerdicts[static_cast<size_t>(outcome.verdict)],
                 outcome.text.c_str());
          return outcome.verdict == Verdict::kWrong ? 1 : 0;
        }
      }
    }
  }
  fprintf(stderr, "there is no such operation, or no such plan for it\n");
  return 2;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--jobs") {
      options.jobs = std::max<size_t>(std::stoul(value), 1);
    } else if (name == "--only") {
      options.only = value;
    } else if (name == "--sample") {
      options.sample = std::stoll(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--replay" && i + 2 < argc) {
      options.operation = value;
      options.plan = argv[++i + 1];
    } else {
      argc = 0;
    }
  }
  if (argc % 2 == (options.plan.empty() ? 0 : 1) || argc == 0) {
    fprintf(stderr, "usage: klip_sweep [--jobs N] [--only TEXT] [--sample N [--seed S]] | --replay OPERATION PLAN\n");
    return 2;
  }
  return options.plan.empty() ? Sweep(options) : Replay(options);
}

}  // namespace
}  // namespace klip::sweep

int main(int argc, char** argv) { return klip::sweep::Main(argc, argv); }
