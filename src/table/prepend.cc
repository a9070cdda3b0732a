// Prepend: a new first row of a table whose keys count down.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/read/row_scanner.h"
#include "klip/bytes.h"
#include "table/embedded_table.h"
#include "table/row_condition.h"

namespace klip::table {
namespace {

constexpr size_t kKeyBytes = sizeof(uint64_t);

// The first key; nullopt for an empty table.
Expected<std::optional<uint64_t>> FirstKey(const engine::Store& store, const TableInfo& info, const Limits& limits) {
  engine::RowScanSpec spec;
  spec.scan.limit_rows = 1;
  spec.scan.batch = 1;
  spec.max_row_read_bytes = limits.max_row_read_bytes;
  KLIP_ASSIGN_OR_RETURN(const auto scanner, engine::RowScanner::Open(store, info.view, std::move(spec)));
  Result row;
  KLIP_ASSIGN_OR_RETURN(const bool found, scanner->Next(&row));
  if (!found) {
    return std::optional<uint64_t>();
  }
  if (row.row().size() != kKeyBytes) {
    return Status(Code::kInvalidArgument, "the first row of table '" + info.name() + "', '" +
                                              ToStringBinary(row.row()) +
                                              "', is not an 8-byte key: nothing can be put before it");
  }
  return std::optional(ReadBigEndian<uint64_t>(row.row().data()));
}

Status CheckPrepend(const TableInfo& info, const Limits& limits, const Prepend& prepend) {
  const bool has_check_column =
      std::any_of(prepend.columns.begin(), prepend.columns.end(), [&](const Put::Column& column) {
        return column.family == prepend.family && column.qualifier == prepend.qualifier;
      });
  if (!has_check_column && !prepend.columns.empty()) {
    return {Code::kInvalidArgument, "the check column " + prepend.family + ":" + ToStringBinary(prepend.qualifier) +
                                        " is not among the columns to insert"};
  }
  return CheckMutation(info, limits, {.row = BigEndian(prepend.last_key), .columns = prepend.columns});
}

}  // namespace

Expected<uint64_t> EmbeddedTable::Prepend(const klip::Prepend& prepend) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());  // not later: one caller works for several
  const auto queue = shared_->PrependsOf(name());
  return queue->Run(prepend, [this](auto group, auto* outcomes) { PrependGroup(group, outcomes); });
}

void EmbeddedTable::PrependGroup(std::span<PrependQueue::Waiting* const> group,
                                 std::vector<Expected<uint64_t>>* outcomes) {
  const auto writing = store().LockForWrite(name());
  Expected<InfoPtr> writable = slot_->Current();
  if (const Status state = writable.ok() ? (*writable)->CheckWritable() : Status(); !state.ok()) {
    writable = state;
  }
  outcomes->assign(group.size(), Expected<uint64_t>(0));
  std::vector<size_t> open;  // requests without an outcome, in order
  for (size_t i = 0; i < group.size(); ++i) {
    const Status state =
        writable.ok() ? CheckPrepend(**writable, shared_->limits, *group[i]->request) : writable.status();
    if (state.ok()) {
      open.push_back(i);
    } else {
      (*outcomes)[i] = state;
    }
  }
  Status failed;
  while (!open.empty() && failed.ok()) {
    failed = PrependRound(**writable, group, &open, outcomes);
  }
  for (const size_t i : open) {
    (*outcomes)[i] = failed;
  }
}

// Writes the requests at the keys before the first one. A key that another writer took since is passed over; the requests
// that then have none stay in *open.
Status EmbeddedTable::PrependRound(const TableInfo& info, std::span<PrependQueue::Waiting* const> group,
                                   std::vector<size_t>* open, std::vector<Expected<uint64_t>>* outcomes) {
  const klip::Prepend& oldest = *group[open->front()]->request;
  KLIP_ASSIGN_OR_RETURN(const std::optional<uint64_t> first, FirstKey(store(), info, shared_->limits));
  if (first == 0) {
    return {Code::kInvalidArgument, "the first row of table '" + info.name() + "' has key 0: none can go before it"};
  }
  const uint64_t top = first.has_value() ? std::min(*first - 1, oldest.last_key) : oldest.last_key;
  const size_t count = top >= open->size() - 1 ? open->size() : static_cast<size_t>(top) + 1;
  std::vector<std::string> keys;
  keys.reserve(count);
  std::vector<engine::RowName> names;
  for (size_t i = 0; i < count; ++i) {
    keys.push_back(BigEndian(top - i));
    names.push_back({name(), keys.back()});
  }
  ScratchWrites writes;
  const engine::RowLocks locks = store().LockRows(names);
  const int64_t now_ms = store().NowMs();
  const WriteStep step = {store(), info, shared_->limits, now_ms, now_ms, writes.get()};
  Durability durability = Durability::kSkipWal;
  size_t given = 0;
  for (size_t i = 0; i < count; ++i) {
    const klip::Prepend& request = *group[(*open)[given]]->request;
    const RowCondition absent = RowCondition::IfNotExists(request.family, request.qualifier);
    KLIP_ASSIGN_OR_RETURN(const ConditionOutcome outcome, Evaluate(store(), info, shared_->limits, keys[i], absent));
    if (outcome.holds) {
      AddPut(step, {.row = keys[i], .columns = request.columns});
      durability = Stronger(durability, info.Resolve(request.durability));
      (*outcomes)[(*open)[given]] = top - i;
      ++given;
    }
  }
  if (given > 0) {
    KLIP_RETURN_IF_ERROR(store().Write(writes.get(), durability));
  }
  open->erase(open->begin(), open->begin() + static_cast<std::ptrdiff_t>(given));
  return Status::Ok();
}

}  // namespace klip::table
