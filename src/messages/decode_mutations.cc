#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "klip/bytes.h"
#include "messages/decode.h"

namespace klip::messages {
namespace {

using hbase::pb::MutationProto;

// A cell of a mutation, from the message or from the block.
struct Given {
  std::string_view family;
  std::string_view qualifier;
  std::string_view value;
  int64_t timestamp_ms = kLatestTimestamp;
  CellType type = CellType::kPut;
  std::string_view tags;
};

CellType MarkerOf(MutationProto::DeleteType type) {
  switch (type) {
    case MutationProto::DELETE_ONE_VERSION:
      return CellType::kDelete;
    case MutationProto::DELETE_MULTIPLE_VERSIONS:
      return CellType::kDeleteColumn;
    case MutationProto::DELETE_FAMILY:
      return CellType::kDeleteFamily;
    case MutationProto::DELETE_FAMILY_VERSION:
      return CellType::kDeleteFamilyVersion;
  }
  return CellType::kDelete;
}

Durability ToDurability(MutationProto::Durability durability) {
  switch (durability) {
    case MutationProto::USE_DEFAULT:
      return Durability::kUseDefault;
    case MutationProto::SKIP_WAL:
      return Durability::kSkipWal;
    case MutationProto::ASYNC_WAL:
      return Durability::kAsyncWal;
    case MutationProto::SYNC_WAL:
      return Durability::kSyncWal;
    case MutationProto::FSYNC_WAL:
      return Durability::kFsyncWal;
  }
  return Durability::kUseDefault;
}

// Calls take(Given) for each cell of the mutation. *row: the message's, or if it has none, the row of its cells.
template <typename Take>
Status ForEachCell(const MutationProto& message, rpc::CellBlockReader* cells, std::string* row, Take take) {
  Status status;
  *row = message.row();
  for (int i = 0; i < message.associated_cell_count(); ++i) {
    Cell cell;
    if (!cells->Next(&cell)) {
      KLIP_RETURN_IF_ERROR(cells->status());
      return {Code::kInvalidArgument, "a mutation of row " + ToStringBinary(message.row()) + " has " +
                                          std::to_string(message.associated_cell_count()) +
                                          " cells, but the cell block ends after " + std::to_string(i)};
    }
    if (row->empty()) {
      *row = cell.row;
    }
    if (status.ok()) {
      status = cell.row == *row
                   ? take(Given{cell.family, cell.qualifier, cell.value, cell.timestamp_ms, cell.type, cell.tags})
                   : Status(Code::kInvalidArgument, "a cell of row " + ToStringBinary(cell.row) +
                                                        " came with a mutation of row " + ToStringBinary(*row));
    }
  }
  KLIP_RETURN_IF_ERROR(status);
  const bool deletes = message.mutate_type() == MutationProto::DELETE;
  for (const MutationProto::ColumnValue& column : message.column_value()) {
    for (const MutationProto::ColumnValue::QualifierValue& one : column.qualifier_value()) {
      Given given = {column.family(), one.qualifier(), one.value()};
      if (one.has_timestamp()) {
        given.timestamp_ms = static_cast<int64_t>(one.timestamp());
      } else if (message.has_timestamp()) {
        given.timestamp_ms = static_cast<int64_t>(message.timestamp());
      }
      if (deletes || one.has_delete_type()) {
        given.type = MarkerOf(one.delete_type());
      }
      given.tags = one.tags();
      KLIP_RETURN_IF_ERROR(take(given));
    }
  }
  return Status::Ok();
}

int64_t TtlOf(const MutationProto& message) {
  const std::string_view ttl = AttributeOf(message, kTtlAttribute);
  return ttl.size() == sizeof(int64_t) ? ReadBigEndian<int64_t>(ttl.data()) : 0;
}

bool WantsResults(const MutationProto& message) {
  const std::string_view wants = AttributeOf(message, kResultsAttribute);
  return wants.empty() || wants[0] != 0;
}

int64_t TimestampOf(const MutationProto& message) {
  return message.has_timestamp() ? static_cast<int64_t>(message.timestamp()) : kLatestTimestamp;
}

Status AddPut(const MutationProto& message, rpc::CellBlockReader* cells, std::vector<Mutation>* mutations) {
  std::string row;
  Put put = {.row = {},
             .timestamp_ms = TimestampOf(message),
             .ttl_ms = TtlOf(message),
             .durability = ToDurability(message.durability()),
             .attributes = AttributesOf(message)};
  Delete del = {
      .row = {}, .timestamp_ms = put.timestamp_ms, .durability = put.durability, .attributes = put.attributes};
  const auto told = static_cast<size_t>(std::max(message.associated_cell_count(), 0));
  put.columns.reserve(std::max(std::min(told, cells->MostCells()), static_cast<size_t>(message.column_value_size())));
  KLIP_RETURN_IF_ERROR(ForEachCell(message, cells, &row, [&](const Given& given) {
    if (given.type == CellType::kPut) {
      put.columns.push_back({std::string(given.family), std::string(given.qualifier), std::string(given.value),
                             given.timestamp_ms, std::string(given.tags)});
    } else {
      del.markers.push_back({given.type, std::string(given.family), std::string(given.qualifier), given.timestamp_ms});
    }
    return Status::Ok();
  }));
  put.row = row;
  if (!del.markers.empty()) {
    del.row = std::move(row);
    if (!put.columns.empty()) {
      mutations->emplace_back(std::move(put));
    }
    mutations->emplace_back(std::move(del));
    return Status::Ok();
  }
  mutations->emplace_back(std::move(put));
  return Status::Ok();
}

Status AddDelete(const MutationProto& message, rpc::CellBlockReader* cells, std::vector<Mutation>* mutations) {
  Delete del = {.row = {},
                .timestamp_ms = TimestampOf(message),
                .durability = ToDurability(message.durability()),
                .attributes = AttributesOf(message)};
  KLIP_RETURN_IF_ERROR(ForEachCell(message, cells, &del.row, [&](const Given& given) {
    if (given.type == CellType::kPut) {
      return Status(Code::kDoNotRetry, "a Delete of row " + ToStringBinary(del.row) + " holds a put");
    }
    del.markers.push_back({given.type, std::string(given.family), std::string(given.qualifier), given.timestamp_ms});
    return Status::Ok();
  }));
  mutations->emplace_back(std::move(del));
  return Status::Ok();
}

Status AddIncrement(const MutationProto& message, rpc::CellBlockReader* cells, std::vector<Mutation>* mutations) {
  Increment increment = {.row = {},
                         .ttl_ms = TtlOf(message),
                         .return_results = WantsResults(message),
                         .durability = ToDurability(message.durability()),
                         .attributes = AttributesOf(message)};
  if (message.has_time_range()) {
    increment.time_range = ToTimeRange(message.time_range());
  }
  KLIP_RETURN_IF_ERROR(ForEachCell(message, cells, &increment.row, [&](const Given& given) {
    if (given.value.size() != sizeof(int64_t)) {
      return Status(Code::kDoNotRetry,
                    "Field is not a long, it's " + std::to_string(given.value.size()) + " bytes wide");
    }
    increment.columns.push_back({std::string(given.family), std::string(given.qualifier),
                                 ReadBigEndian<int64_t>(given.value.data()), given.timestamp_ms});
    return Status::Ok();
  }));
  mutations->emplace_back(std::move(increment));
  return Status::Ok();
}

Status AddAppend(const MutationProto& message, rpc::CellBlockReader* cells, std::vector<Mutation>* mutations) {
  Append append = {.row = {},
                   .ttl_ms = TtlOf(message),
                   .return_results = WantsResults(message),
                   .durability = ToDurability(message.durability()),
                   .attributes = AttributesOf(message)};
  if (message.has_time_range()) {
    append.time_range = ToTimeRange(message.time_range());
  }
  KLIP_RETURN_IF_ERROR(ForEachCell(message, cells, &append.row, [&](const Given& given) {
    append.columns.push_back(
        {std::string(given.family), std::string(given.qualifier), std::string(given.value), given.timestamp_ms});
    return Status::Ok();
  }));
  mutations->emplace_back(std::move(append));
  return Status::Ok();
}

}  // namespace

Status AddMutations(const MutationProto& message, rpc::CellBlockReader* cells, std::vector<Mutation>* mutations) {
  switch (message.mutate_type()) {
    case MutationProto::PUT:
      return AddPut(message, cells, mutations);
    case MutationProto::DELETE:
      return AddDelete(message, cells, mutations);
    case MutationProto::INCREMENT:
      return AddIncrement(message, cells, mutations);
    case MutationProto::APPEND:
      return AddAppend(message, cells, mutations);
  }
  return {Code::kDoNotRetry, "Unsupported mutate type: " + std::to_string(message.mutate_type())};
}

}  // namespace klip::messages
