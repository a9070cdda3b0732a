// One run of the simulator: a store on a simulated disk, from one seed. Each workload is one function; the calling process is scheduled
// (schedule.h) and has the disk (disk.h) mounted.
#pragma once

#include <cstdint>
#include <string>

#include "ops/random.h"

namespace klip::simulate {

struct Run {
  std::string directory;  // of the disk; the store is in "store" there
  uint64_t seed = 0;
  // What was done, for who looks at a failure.
  std::string log;
  // What a run counted, for the summary.
  int64_t operations = 0;
  int64_t cuts = 0;
  int64_t faults = 0;
};

// Several clients write at the same time (crash/crash_load.h); after each crash the store holds what was acknowledged.
// Returns what is wrong; empty: nothing.
std::string RunClients(Run* run);

// One client makes random ops (model/random_ops.h), and each answer is compared with that of the reference table, also under faults.
// Returns what is wrong; empty: nothing.
std::string RunOps(Run* run);

// What the disk does in one life of a store.
struct Trouble {
  int64_t cut_at = -1;  // change, or -1
  bool power = false;   // else only the process is killed
  bool faulty = false;
  std::string text;
};

// Draws it, tells the disk and logs it. `most_calls`: about how many calls the life makes.
Trouble MakeTrouble(Run* run, ops::Random* random, int64_t most_calls, bool may_lose_power);

// By how much a clock jumps that somebody sets: seconds to years, forth.
int64_t DrawJumpS(ops::Random* random);

// Whether an operation may fail now: the power is off, or a call has failed.
bool MayFail();

// Ends the life: after a power cut the disk becomes what is found; faults are over.
void EndTrouble(const Trouble& trouble, ops::Random* random, Run* run);

}  // namespace klip::simulate
