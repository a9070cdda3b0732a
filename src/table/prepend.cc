// Prepend: adds a new first row to a table whose keys count down.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "klip/cancel.h"
#include "table/embedded_table.h"
#include "table/read/row_source.h"

namespace klip::table {
namespace {

constexpr size_t kKeyBytes = sizeof(uint64_t);

// The first key; nullopt for an empty table.
Expected<std::optional<uint64_t>> FirstKey(const RowSource& source, const TableInfo& info) {
  engine::RowScanSpec spec;
  spec.scan.limit_rows = 1;
  spec.scan.batch = 1;
  KLIP_ASSIGN_OR_RETURN(const auto scanner, source.Open(info, std::move(spec)));
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

// Checks that a WriteOperation does not make.
Status CheckColumn(const Prepend& prepend) {
  const bool has_check_column =
      std::any_of(prepend.columns.begin(), prepend.columns.end(), [&](const Put::Column& column) {
        return column.family == prepend.family && column.qualifier == prepend.qualifier;
      });
  if (!has_check_column && !prepend.columns.empty()) {
    return {Code::kInvalidArgument, "the check column " + prepend.family + ":" + ToStringBinary(prepend.qualifier) +
                                        " is not among the columns to insert"};
  }
  return Status::Ok();
}

}  // namespace

Expected<uint64_t> EmbeddedTable::Prepend(const klip::Prepend& prepend) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());  // not later, since one caller works for several
  KLIP_RETURN_IF_ERROR(CheckColumn(prepend));
  const auto queue = shared_->PrependsOf(name());
  return queue->Run(prepend, [this](auto group, auto* outcomes) { PrependGroup(group, outcomes); });
}

void EmbeddedTable::PrependGroup(std::span<PrependQueue::Waiting* const> group,
                                 std::vector<Expected<uint64_t>>* outcomes) {
  outcomes->assign(group.size(), Expected<uint64_t>(0));
  std::vector<size_t> open(group.size());  // requests without an outcome, in order
  std::iota(open.begin(), open.end(), size_t{0});
  Status failed;
  while (!open.empty() && failed.ok()) {
    failed = PrependRound(group, &open, outcomes);
  }
  for (const size_t i : open) {
    (*outcomes)[i] = failed;
  }
}

// Writes each request at a key before the first one, if that key is still free. Requests whose key was taken stay in
// *open.
Status EmbeddedTable::PrependRound(std::span<PrependQueue::Waiting* const> group, std::vector<size_t>* open,
                                   std::vector<Expected<uint64_t>>* outcomes) {
  const klip::Prepend& oldest = *group[open->front()]->request;
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  KLIP_RETURN_IF_ERROR(info->CheckWritable());
  KLIP_ASSIGN_OR_RETURN(const std::optional<uint64_t> first,
                        FirstKey(RowSource(shared_->store.get(), shared_->settings.limits), *info));
  if (first == 0) {
    return {Code::kInvalidArgument, "the first row of table '" + info->name() + "' has key 0: none can go before it"};
  }
  const uint64_t top = first.has_value() ? std::min(*first - 1, oldest.last_key) : oldest.last_key;
  const size_t count = top >= open->size() - 1 ? open->size() : static_cast<size_t>(top) + 1;
  std::vector<klip::Put> puts;
  std::vector<RowCondition> absent;
  std::vector<Change> changes;
  puts.reserve(count);
  absent.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const klip::Prepend& request = *group[(*open)[i]]->request;
    puts.push_back({.row = BigEndian(top - i), .columns = request.columns, .durability = request.durability});
    absent.push_back(RowCondition::IfNotExists(request.family, request.qualifier));
    changes.emplace_back(&puts.back()).condition = &absent.back();
  }
  KLIP_RETURN_IF_ERROR(Run({.kind = WriteKind::kPrepend, .changes = changes, .each_by_itself = true}).status());
  std::vector<size_t> still_open;
  for (size_t i = 0; i < open->size(); ++i) {
    const size_t request = (*open)[i];
    if (i >= count || (changes[i].status.ok() && changes[i].left_out)) {
      still_open.push_back(request);
    } else {
      (*outcomes)[request] = changes[i].status.ok() ? Expected<uint64_t>(top - i) : changes[i].status;
    }
  }
  *open = std::move(still_open);
  return Status::Ok();
}

}  // namespace klip::table
