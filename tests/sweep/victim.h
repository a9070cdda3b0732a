// The process whose calls fail: runs an operation under a plan, and reports its results and the contents of the store.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/disk.h"
#include "sweep/operation.h"

namespace klip::sweep {

// What happens to the calls of an operation.
struct Plan {
  simulate::Fault fault;  // number 0: none
  int64_t cut_at = 0;     // the power goes before this change; 0: it stays
  simulate::Loss loss = simulate::Loss::kUnsynced;
  bool killed = false;  // after the operation, instead of closing the store

  // "write 7 ENOSPC lasting", "power cut 12 prefix"
  std::string ToString() const;
};

// What the disk counted during an operation.
struct Counts {
  int64_t failed = 0;  // calls
  bool off = false;    // the power went
  int64_t changes = 0;
  std::array<int64_t, simulate::kCalls> calls = {};

  bool reached() const { return failed > 0 || off; }
};

struct Report {
  std::vector<std::string> said;  // by the lines that were acknowledged
  std::string error;              // of the line that failed; empty: none did
  Counts counts;
  // After the fault is over, in the same process; not for commands, and not after a power cut.
  State seen;
  bool probed = false;  // a put was acknowledged
  std::string wrong;    // errors: a read or an open that fails, a put refused with a wrong error
  std::string died;     // how the process ended, unless it ended as expected
};

// Where the store is in a case's directory, in which the disk is "disk".
std::string StoreOf(const std::string& directory);

// Runs the first `lines` lines of the operation, in a process of its own.
Report RunVictim(const Operation& operation, size_t lines, const Plan& plan, const std::string& directory);

// Makes the operation's store, without faults. Returns what went wrong.
std::string MakeStore(const Operation& operation, const std::string& directory);

// Runs a command line of klip in this process; `said` gets its output or error. Returns its exit code.
int RunCommand(const std::string& line, const std::string& directory, std::string* said);

}  // namespace klip::sweep
