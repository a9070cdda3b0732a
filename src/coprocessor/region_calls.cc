#include "coprocessor/region_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "coprocessor/clip.h"
#include "engine/store/views.h"
#include "klip/bytes.h"
#include "messages/decode.h"
#include "proto/Client.pb.h"
#include "rpc/error.h"
#include "table/embedded_table.h"
#include "table/read/read_operation.h"
#include "table/write/write_operation.h"

namespace klip::coprocessor {
namespace {

thread_local int locked_scopes = 0;

class NoRows final : public ResultScanner {
 public:
  Expected<bool> Next(Result* result) override {
    result->Clear();
    return false;
  }
  ScanStatistics statistics() const override { return {}; }
  Explain explain() const override { return {}; }
};

void WriteOutcome(const Expected<Result>& outcome, FrameWriter* answer) {
  if (outcome.ok()) {
    answer->U8(0).Answer(*outcome);
    return;
  }
  const rpc::Error error(outcome.status());
  answer->U8(1).Text(error.java_class()).Text(error.message());
}

// A message may contain two mutations of one row, which are then atomic.
struct Asked {
  std::vector<Mutation> all;
  std::vector<size_t> ends;  // end of each message's mutations
};

Expected<Asked> ReadMutations(const OpenRegion& region, FrameReader* call) {
  Asked asked;
  const uint32_t count = call->U32();
  hbase::pb::MutationProto message;
  for (uint32_t i = 0; i < count && call->Message(&message); ++i) {
    KLIP_RETURN_IF_ERROR(messages::AddMutations(message, call->cells(), &asked.all));
    asked.ends.push_back(asked.all.size());
  }
  KLIP_RETURN_IF_ERROR(call->status());
  for (const Mutation& mutation : asked.all) {
    const std::string& row = messages::RowOf(mutation);
    if (row < region.start_key || (!region.end_key.empty() && row >= region.end_key)) {
      return Status::OfJava("org.apache.hadoop.hbase.regionserver.WrongRegionException",
                            "Requested row out of range for region of table " + region.table, /*retryable=*/true);
    }
  }
  return asked;
}

// Applies all atomically.
Expected<Result> ApplyAll(table::EmbeddedConnection* connection, table::EmbeddedTable* table,
                          std::vector<Mutation> all) {
  const std::string row = messages::RowOf(all.front());
  if (std::all_of(all.begin(), all.end(), [&](const Mutation& one) { return messages::RowOf(one) == row; })) {
    return table->Mutate({.row = row, .mutations = std::move(all)}, {});
  }
  AtomicBatch batch;
  for (Mutation& mutation : all) {
    batch.steps.push_back({table->name(), std::move(mutation)});
  }
  KLIP_RETURN_IF_ERROR(connection->Apply(batch).status());
  return Result();
}

Action ToAction(std::vector<Mutation>::iterator first, std::vector<Mutation>::iterator end) {
  if (end - first == 1) {
    return std::visit([](auto& one) { return Action(std::move(one)); }, *first);
  }
  RowMutations mutations = {.row = messages::RowOf(*first)};
  std::move(first, end, std::back_inserter(mutations.mutations));
  return mutations;
}

}  // namespace

LockedScope::LockedScope() { ++locked_scopes; }
LockedScope::~LockedScope() { --locked_scopes; }

Status RegionCalls::Get(const OpenRegion& region, FrameReader* call, FrameWriter* answer) {
  hbase::pb::Get message;
  call->Message(&message);
  KLIP_RETURN_IF_ERROR(call->status());
  KLIP_ASSIGN_OR_RETURN(const klip::Get get, messages::ToGet(message));
  KLIP_ASSIGN_OR_RETURN(const table::SlotPtr slot, connection_->FindSlot(region.table));
  KLIP_ASSIGN_OR_RETURN(const table::ReadOperation read,
                        table::ReadOperation::Prepare(&connection_->shared(), slot.get()));
  Result result;
  KLIP_RETURN_IF_ERROR(read.WithoutHooks().Get(get, &result));
  answer->Answer(result);
  return Status::Ok();
}

Status RegionCalls::OpenScan(const OpenRegion& region, FrameReader* call, FrameWriter* answer) {
  hbase::pb::Scan message;
  call->Message(&message);
  KLIP_RETURN_IF_ERROR(call->status());
  KLIP_ASSIGN_OR_RETURN(Scan scan, messages::ToScan(message));
  KLIP_RETURN_IF_ERROR(AddConditions(region, &scan));
  std::shared_ptr<ResultScanner> rows;
  if (ClipToRegion(region.start_key, region.end_key, &scan)) {
    KLIP_ASSIGN_OR_RETURN(const table::SlotPtr slot, connection_->FindSlot(region.table));
    KLIP_ASSIGN_OR_RETURN(const table::ReadOperation read,
                          table::ReadOperation::Prepare(&connection_->shared(), slot.get()));
    KLIP_ASSIGN_OR_RETURN(rows, read.WithoutHooks().Scan(scan, nullptr));
  } else {
    rows = std::make_shared<NoRows>();
  }
  answer->U32(AddScanner(std::move(rows)));
  return Status::Ok();
}

uint64_t RegionCalls::KeepConditions(const OpenRegion& region, Scan* scan) {
  const std::string name(kConditionsAttribute);
  scan->attributes.erase(name);
  if (!scan->where.has_value() && scan->rows == nullptr) {
    return 0;
  }
  const std::lock_guard lock(mutex_);
  conditions_[++last_conditions_] = {region.table, scan->where, scan->rows};
  scan->attributes[name] = BigEndian(last_conditions_);
  return last_conditions_;
}

void RegionCalls::RemoveConditions(uint64_t number) {
  const std::lock_guard lock(mutex_);
  conditions_.erase(number);
}

// Those that the scan's attribute names, if it reads the table that they are about.
Status RegionCalls::AddConditions(const OpenRegion& region, Scan* scan) {
  const auto attribute = scan->attributes.extract(std::string(kConditionsAttribute));
  if (attribute.empty()) {
    return Status::Ok();
  }
  const std::lock_guard lock(mutex_);
  const auto kept = attribute.mapped().size() == sizeof(uint64_t)
                        ? conditions_.find(ReadBigEndian<uint64_t>(attribute.mapped().data()))
                        : conditions_.end();
  if (kept == conditions_.end()) {
    return Status::OfJava("org.apache.hadoop.hbase.UnknownScannerException",
                          "The client's scan that this scan is a copy of has ended", /*retryable=*/false);
  }
  if (kept->second.table == region.table) {
    scan->where = kept->second.where;
    scan->rows = kept->second.rows;
  }
  return Status::Ok();
}

uint32_t RegionCalls::AddScanner(std::shared_ptr<ResultScanner> rows) {
  const std::lock_guard lock(mutex_);
  scanners_[++last_scan_] = std::move(rows);
  return last_scan_;
}

void RegionCalls::RemoveScanner(uint32_t number) {
  std::shared_ptr<ResultScanner> closed;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  if (const auto at = scanners_.find(number); at != scanners_.end()) {
    closed = std::move(at->second);
    scanners_.erase(at);
  }
}

Status WriteRows(ResultScanner* rows, uint32_t most_rows, uint32_t most_bytes, FrameWriter* out) {
  std::vector<uint32_t> counts;
  bool more = true;
  Result row;
  while (counts.size() < most_rows && out->block().size() < most_bytes) {
    KLIP_ASSIGN_OR_RETURN(more, rows->Next(&row));
    if (!more) {
      break;
    }
    counts.push_back(static_cast<uint32_t>(row.size()));
    for (const Cell& cell : row) {
      rpc::AppendCell(cell, kCodec, out->cells());
    }
  }
  out->U8(more ? 1 : 0).U32(counts.size());
  for (const uint32_t count : counts) {
    out->U32(count);
  }
  return Status::Ok();
}

Status RegionCalls::NextRows(FrameReader* call, FrameWriter* answer) {
  const uint32_t id = call->U32();
  const uint32_t most_rows = call->U32();
  const uint32_t most_bytes = call->U32();
  std::shared_ptr<ResultScanner> rows;
  {
    const std::lock_guard lock(mutex_);
    const auto at = scanners_.find(id);
    if (at == scanners_.end()) {
      return Status::OfJava("org.apache.hadoop.hbase.UnknownScannerException",
                            "Scanner " + std::to_string(id) + " is not open", /*retryable=*/false);
    }
    rows = at->second;
  }
  return WriteRows(rows.get(), std::max(most_rows, 1U), std::max(most_bytes, 1U), answer);
}

Status RegionCalls::CloseScan(FrameReader* call) {
  RemoveScanner(call->U32());
  return Status::Ok();
}

void RegionCalls::CloseScans() {
  std::map<uint32_t, std::shared_ptr<ResultScanner>> closed;
  const std::lock_guard lock(mutex_);
  closed.swap(scanners_);
}

namespace {

Status CheckUnlocked() {
  if (locked_scopes == 0) {
    return Status::Ok();
  }
  return {Code::kDoNotRetry,
          "a hook that runs under locks can neither flush, compact nor, in a bulk load, write: use one that runs "
          "without locks"};
}

}  // namespace

Status RegionCalls::Mutate(const OpenRegion& region, FrameReader* call, FrameWriter* answer) {
  if (!table::HooksHoldLocks()) {
    KLIP_RETURN_IF_ERROR(CheckUnlocked());  // of a bulk load, which locks the table
  }
  const table::NestedWrites writes;
  const bool atomic = call->U8() != 0;
  hbase::pb::Condition condition;
  const bool conditional = call->U8() != 0 && call->Message(&condition);
  KLIP_ASSIGN_OR_RETURN(Asked asked, ReadMutations(region, call));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<table::EmbeddedTable> table, connection_->OpenTable(region.table));
  const auto begin = asked.all.begin();
  if (conditional) {
    CheckAndMutate check = {.row = condition.row(), .action = RowMutations{.row = condition.row()}};
    KLIP_ASSIGN_OR_RETURN(check.condition, messages::ToCondition(condition));
    std::get<RowMutations>(check.action).mutations = std::move(asked.all);
    KLIP_ASSIGN_OR_RETURN(const CheckAndMutateResult checked, table->CheckAndMutate(check, {}));
    answer->U8(checked.success ? 1 : 0);
    for (size_t i = 0; i < asked.ends.size(); ++i) {
      answer->U8(0).Answer(i == 0 ? checked.result.Clone() : Result());
    }
    return Status::Ok();
  }
  answer->U8(1);
  if (atomic && !asked.all.empty()) {
    KLIP_ASSIGN_OR_RETURN(const Result result, ApplyAll(connection_, table.get(), std::move(asked.all)));
    for (size_t i = 0; i < asked.ends.size(); ++i) {
      answer->U8(0).Answer(i == 0 ? result.Clone() : Result());
    }
    return Status::Ok();
  }
  std::vector<Action> actions;
  size_t first = 0;
  for (const size_t end : asked.ends) {
    actions.push_back(ToAction(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end)));
    first = end;
  }
  for (const Expected<Result>& outcome : table->Batch(actions)) {
    WriteOutcome(outcome, answer);
  }
  return Status::Ok();
}

Status RegionCalls::Flush(const OpenRegion& region) {
  KLIP_RETURN_IF_ERROR(CheckUnlocked());  // hooks of flushes may write
  return connection_->store().storage().Flush(region.table);
}

Status RegionCalls::Compact(const OpenRegion& region, FrameReader* call) {
  KLIP_RETURN_IF_ERROR(CheckUnlocked());
  const bool major = call->U8() != 0;
  const std::string family(call->Text());
  KLIP_RETURN_IF_ERROR(call->status());
  return connection_->store().storage().Compact(region.table, major, family);
}

Status RegionCalls::Counters(const OpenRegion& region, FrameWriter* answer) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr table, connection_->store().views().GetTable(region.table));
  const engine::Region& now = table->RegionOf(region.start_key);
  engine::Storage& storage = connection_->store().storage();
  const int64_t files = storage.ApproximateBytes(*table, now.start_key, now.end_key, /*memory=*/false);
  const int64_t all = storage.ApproximateBytes(*table, now.start_key, now.end_key);
  const std::vector<int32_t> counts = storage.FileCounts(*table);
  const size_t index = static_cast<size_t>(&now - table->regions->data());
  answer->U64(static_cast<uint64_t>(now.requests->reads.load()))
      .U64(static_cast<uint64_t>(now.requests->writes.load()))
      .U64(static_cast<uint64_t>(std::max<int64_t>(all - files, 0)))
      .U64(static_cast<uint64_t>(files))
      .U32(index < counts.size() ? static_cast<uint32_t>(counts[index]) : 0);
  return Status::Ok();
}

}  // namespace klip::coprocessor
