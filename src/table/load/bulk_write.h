// BulkWrite: a write operation whose cells go into sorted files instead of a write batch. The phases are those of
// write/write_operation.h:
//
//   prepare   Open: finds and checks the table; BeforeWrite hooks. No locks
//   apply     AddRow, any number of times: checked cells into files that are not visible yet. No locks
//   commit    Commit: locks the table; InWrite hooks, which may read, but not add; all files become visible atomically. With
//             indexes the lock is exclusive: writers wait while the rows' entries become files as well (loaded_entries.h)
//   finish    Commit: releases locks; slow log; AfterWrite hooks
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/file_loads.h"
#include "engine/store/store.h"
#include "klip/cell.h"
#include "klip/status.h"
#include "table/info/shared.h"

namespace klip::table {

// Not thread-safe.
class BulkWrite {
 public:
  // Errors: kTableNotFound, kTableNotEnabled, kDoNotRetry (read-only table), those of hooks.
  static Expected<std::unique_ptr<BulkWrite>> Open(Shared* shared, std::string_view table,
                                                   const LoadedFiles& from = {});

  const TableInfo& table() const { return *info_; }
  const Limits& limits() const { return shared_->settings.limits; }
  int64_t NowMs() const { return shared_->store->NowMs(); }

  // Adds cells of one row in key order within each family, already checked, for the same row or a later one. Rows ascend.
  Status AddRow(std::string_view row, std::span<const Cell> cells);
  // Call it once, after the last row. Errors, after which nothing is loaded: also those of LoadedEntries.
  Status Commit();

 private:
  class HookView;
  BulkWrite(Shared* shared, SlotPtr slot, InfoPtr info, const LoadedFiles& from,
            std::unique_ptr<engine::FileLoader> files)
      : shared_(shared),
        slot_(std::move(slot)),
        info_(std::move(info)),
        from_(from.files.begin(), from.files.end()),
        from_row_(from.row),
        files_(std::move(files)),
        timer_(shared->settings.slow) {}

  template <typename Call>
  Status CallHooks(bool written, Call call);

  Shared* const shared_;
  const SlotPtr slot_;
  const InfoPtr info_;
  const std::vector<LoadedFile> from_;
  const std::string from_row_;
  const std::unique_ptr<engine::FileLoader> files_;
  OperationTimer timer_;
  int64_t rows_ = 0;
};

}  // namespace klip::table
