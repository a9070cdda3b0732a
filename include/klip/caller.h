// Caller: who made an operation, and through which front end. Front ends set it; logs and hooks of operations read it.
//
//   const Caller caller = {.user = "alice", .address = "10.0.0.7:50312", .door = Door::kRest};
//   CallerScope scope(&caller);      // for this thread, until the end of the block
//   table->Put(put);                 // an operation of alice's
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace klip {

enum class Door : uint8_t { kEmbedded, kRpc, kThrift, kRest, kShell, kCommandLine, kReplication, kSql, kConsole };

// "embedded", "rpc", "thrift", ...
std::string_view NameOf(Door door);

struct Caller {
  std::string user;     // empty: unknown
  std::string address;  // host:port of the client; empty: this process
  Door door = Door::kEmbedded;

  // "alice at 10.0.0.7:50312 by rest"; omits unknown parts.
  std::string ToString() const;

  // The caller of this thread's operations: that of the innermost CallerScope, else the user who runs the process.
  static const Caller& Current();
  // Whether the thread is in a CallerScope.
  static bool InScope();
  // Sets what Current() returns outside of all scopes. Call it before any thread uses Current().
  static void SetDoorOfProcess(Door door);
};

// Not copyable, and bound to the thread that creates it. `caller` must outlive the scope.
class CallerScope {
 public:
  explicit CallerScope(const Caller* caller);
  ~CallerScope();
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

 private:
  const Caller* const outer_;
};

// An operation of an embedded store that took longer than ConnectionOptions::slow_operation_ms.
struct SlowOperation {
  Caller caller;
  std::string kind;   // "put", "check and mutate", "scan", ...
  std::string table;  // the first one, if there are several
  int64_t took_us = 0;
  int64_t rows = 0;  // changed, requested or returned
};
using SlowOperationLog = std::function<void(const SlowOperation&)>;

}  // namespace klip
