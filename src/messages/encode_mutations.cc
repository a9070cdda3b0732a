#include <string>

#include "klip/bytes.h"
#include "messages/encode.h"

namespace klip::messages {
namespace {

using hbase::pb::MutationProto;

// A cell of a mutation as it is sent.
struct Sent {
  std::string_view family;
  std::string_view qualifier;
  std::string_view value;
  int64_t timestamp_ms = kLatestTimestamp;
  CellType type = CellType::kPut;
};

MutationProto::DeleteType ToDeleteType(CellType type) {
  switch (type) {
    case CellType::kDelete:
      return MutationProto::DELETE_ONE_VERSION;
    case CellType::kDeleteColumn:
      return MutationProto::DELETE_MULTIPLE_VERSIONS;
    case CellType::kDeleteFamilyVersion:
      return MutationProto::DELETE_FAMILY_VERSION;
    case CellType::kDeleteFamily:
    case CellType::kPut:
      return MutationProto::DELETE_FAMILY;
  }
  return MutationProto::DELETE_FAMILY;
}

MutationProto::Durability ToDurability(Durability durability) {
  switch (durability) {
    case Durability::kUseDefault:
      return MutationProto::USE_DEFAULT;
    case Durability::kSkipWal:
      return MutationProto::SKIP_WAL;
    case Durability::kAsyncWal:
      return MutationProto::ASYNC_WAL;
    case Durability::kSyncWal:
      return MutationProto::SYNC_WAL;
    case Durability::kFsyncWal:
      return MutationProto::FSYNC_WAL;
  }
  return MutationProto::USE_DEFAULT;
}

// Puts the cells of a mutation into its message or into the block; servers learn its row from cells in the block.
class MutationCells {
 public:
  MutationCells(std::string_view row, const MutationOutput& output, MutationProto* message)
      : row_(row), output_(output), message_(message) {}
  MutationCells(const MutationCells&) = delete;
  MutationCells& operator=(const MutationCells&) = delete;
  ~MutationCells() {
    if (count_ > 0) {
      message_->set_associated_cell_count(count_);
    } else {
      message_->set_row(row_.data(), row_.size());
    }
  }

  void Add(const Sent& cell) {
    if (output_.cells != nullptr) {
      rpc::AppendCell({.row = row_,
                       .family = cell.family,
                       .qualifier = cell.qualifier,
                       .timestamp_ms = cell.timestamp_ms,
                       .type = cell.type,
                       .value = cell.value},
                      output_.codec, output_.cells);
      ++count_;
      return;
    }
    const int last = message_->column_value_size() - 1;
    MutationProto::ColumnValue* family = last >= 0 && message_->column_value(last).family() == cell.family
                                             ? message_->mutable_column_value(last)
                                             : message_->add_column_value();
    family->set_family(cell.family.data(), cell.family.size());
    MutationProto::ColumnValue::QualifierValue* one = family->add_qualifier_value();
    one->set_qualifier(cell.qualifier.data(), cell.qualifier.size());
    one->set_value(cell.value.data(), cell.value.size());
    one->set_timestamp(static_cast<uint64_t>(cell.timestamp_ms));
    if (cell.type != CellType::kPut) {
      one->set_delete_type(ToDeleteType(cell.type));
    }
  }

 private:
  std::string_view row_;
  const MutationOutput& output_;
  MutationProto* message_;
  int count_ = 0;
};

template <typename One>
void FillCommon(const One& mutation, MutationProto::MutationType type, MutationProto* message) {
  message->set_mutate_type(type);
  message->set_durability(ToDurability(mutation.durability));
  AddAttributes(mutation.attributes, message);
}

void FillTtl(int64_t ttl_ms, MutationProto* message) {
  if (ttl_ms > 0) {
    AddAttribute(kTtlAttribute, BigEndian(ttl_ms), message);
  }
}

// For Increment and Append.
template <typename One>
void FillChange(const One& change, MutationProto::MutationType type, const MutationOutput& output,
                MutationProto* message) {
  FillCommon(change, type, message);
  FillTtl(change.ttl_ms, message);
  if (change.time_range != TimeRange()) {
    message->mutable_time_range()->set_from(static_cast<uint64_t>(change.time_range.min_ms));
    message->mutable_time_range()->set_to(static_cast<uint64_t>(change.time_range.max_ms));
  }
  if (!change.return_results) {
    AddAttribute(kResultsAttribute, std::string(1, '\0'), message);
  }
  if (output.nonce != 0) {
    message->set_nonce(output.nonce);
  }
}

}  // namespace

void FillMutation(const Put& put, const MutationOutput& output, MutationProto* message) {
  FillCommon(put, MutationProto::PUT, message);
  FillTtl(put.ttl_ms, message);
  MutationCells cells(put.row, output, message);
  for (const Put::Column& column : put.columns) {
    cells.Add({column.family, column.qualifier, column.value,
               column.timestamp_ms == kLatestTimestamp ? put.timestamp_ms : column.timestamp_ms});
  }
}

void FillMutation(const Delete& del, const MutationOutput& output, MutationProto* message) {
  FillCommon(del, MutationProto::DELETE, message);
  if (del.timestamp_ms != kLatestTimestamp) {
    message->set_timestamp(static_cast<uint64_t>(del.timestamp_ms));  // of the whole row, if there are no markers
  }
  MutationCells cells(del.row, output, message);
  for (const Delete::Marker& marker : del.markers) {
    cells.Add({marker.family,
               marker.qualifier,
               {},
               marker.timestamp_ms == kLatestTimestamp ? del.timestamp_ms : marker.timestamp_ms,
               marker.type});
  }
}

void FillMutation(const Increment& increment, const MutationOutput& output, MutationProto* message) {
  FillChange(increment, MutationProto::INCREMENT, output, message);
  MutationCells cells(increment.row, output, message);
  for (const Increment::Column& column : increment.columns) {
    cells.Add({column.family, column.qualifier, BigEndian(column.amount), column.timestamp_ms});
  }
}

void FillMutation(const Append& append, const MutationOutput& output, MutationProto* message) {
  FillChange(append, MutationProto::APPEND, output, message);
  MutationCells cells(append.row, output, message);
  for (const Append::Column& column : append.columns) {
    cells.Add({column.family, column.qualifier, column.value, column.timestamp_ms});
  }
}

}  // namespace klip::messages
