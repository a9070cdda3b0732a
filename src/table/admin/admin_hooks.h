// AdminHooks: code that sees every change of namespaces, tables, regions and snapshots, through all front ends.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::table {

enum class AdminKind : uint8_t {
  kCreateNamespace,
  kModifyNamespace,
  kDeleteNamespace,
  kGetNamespace,
  kCreateTable,
  kModifyTable,
  kDeleteTable,
  kTruncateTable,
  kEnableTable,
  kDisableTable,
  kFlushTable,
  kSplit,
  kMerge,
  kTakeSnapshot,
  kCloneSnapshot,
  kRestoreSnapshot,
  kDeleteSnapshot,
};

// A request; members that do not apply to its kind are empty. Valid during the call.
struct AdminOperation {
  AdminKind kind;
  std::string_view table;      // its name; of kCloneSnapshot: of the new one
  std::string_view name = {};  // of the namespace or the snapshot
  const NamespaceDescriptor* name_space = nullptr;
  const TableDescriptor* before = nullptr;  // kModifyTable: the current one
  TableDescriptor* descriptor = nullptr;    // kCreateTable, kModifyTable: the new one; a hook may change it
  std::span<const std::string> split_keys = {};
  std::span<const std::string> regions = {};  // kMerge: as the caller named them
};

class AdminHooks {
 public:
  virtual ~AdminHooks() = default;
  // Calls `run`, which executes the request, or returns an error instead. No locks are held: it may call anything. An
  // error after `run` fails the call, although the change is made.
  virtual Status Around(AdminOperation& operation, const std::function<Status()>& run) = 0;
};

}  // namespace klip::table
