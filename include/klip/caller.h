// Caller: who asks for an operation, and by which door it came in. Front ends set it; logs, and code that is hooked into
// operations, read it.
//
//   const Caller caller = {.user = "alice", .address = "10.0.0.7:50312", .door = Door::kRest};
//   CallerScope scope(&caller);      // of this thread, until the end of the block
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

  // "alice at 10.0.0.7:50312 by rest"; parts that are unknown are left out.
  std::string ToString() const;

  // The caller of the operations of this thread: that of the innermost CallerScope, else the user who runs the process.
  static const Caller& Current();
  // Whether the thread is in a CallerScope.
  static bool InScope();
  // What Current() says outside of all scopes. Before any thread asks.
  static void SetDoorOfProcess(Door door);
};

// Not copyable, and bound to the thread that makes it. `caller` outlives the scope.
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
  int64_t rows = 0;  // changed, asked for, or returned
};
using SlowOperationLog = std::function<void(const SlowOperation&)>;

}  // namespace klip
