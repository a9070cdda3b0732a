// The operations whose calls the sweep fails one by one, and the results of each from a run without faults.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulate/disk.h"
#include "sweep/state.h"

namespace klip::sweep {

// How an operation accesses the store.
enum class Way {
  kLibrary,      // op lines (ops/store_session.h) on a store of this process
  kServer,       // op lines by RPC on a klip serve; its calls fail, not the client's
  kRest,         // HTTP requests to the REST gateway of a klip serve: "PUT /t/row/f:q value"; `before` is by RPC
  kThrift,       // lines of sweep/door.cc to the Thrift gateway of a klip serve; `before` is by RPC
  kReplication,  // lines of sweep/door.cc to a klip serve, as from a cluster that replicates to it; `before` is by RPC
  kCommand,      // command lines of `klip`; STORE is the store, OUT a path beside it
};

struct Operation {
  std::string name;
  Way way = Way::kLibrary;
  // Op lines that make the store. Empty: there is no store yet.
  std::vector<std::string> setup;
  // Command lines that follow them.
  std::vector<std::string> prepare;
  // Op lines before the faults begin, in the process whose calls fail.
  std::vector<std::string> before;
  // The operation: each line in turn until one fails.
  std::vector<std::string> lines;
  // A line that fails may have made some of its changes; otherwise it has made all or none.
  bool in_pieces = false;
  // A line may be lost after a crash, though it was acknowledged.
  bool lax = false;
  // Command lines that succeed afterwards, even if the operation failed.
  std::vector<std::string> always = {};
  // The same once it was acknowledged; they print what they print without faults.
  std::vector<std::string> proof = {};
};

const std::vector<Operation>& Operations();

// A run without faults. Each vector but `said` and `proved` has an entry for no line, one for the first line, one for the first two, ...
struct Baseline {
  std::vector<std::string> said;  // by line
  std::vector<State> seen;        // ReadState in the process of the operation; empty for commands
  std::vector<State> all;         // ReadAll afterwards
  std::vector<std::string> proved;
  std::map<simulate::Call, int64_t> calls;  // that the lines make
  int64_t changes = 0;                      // calls that change the disk
};

}  // namespace klip::sweep
