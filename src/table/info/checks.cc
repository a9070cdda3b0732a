#include "table/info/checks.h"

#include <string>

#include "base/digest.h"
#include "klip/access.h"
#include "klip/admin.h"
#include "klip/bytes.h"
#include "model/tags.h"

namespace klip::table {
namespace {

// The size of a cell in HBase: KeyValue.getSerializedSize without tags.
size_t CellBytes(std::string_view row, std::string_view family, std::string_view qualifier, std::string_view value) {
  constexpr size_t kFixedBytes = 4 + 4 + 2 + 1 + 8 + 1;
  return kFixedBytes + row.size() + family.size() + qualifier.size() + value.size();
}

Status CheckCellSize(const TableInfo& info, const Limits& limits, size_t cell_bytes) {
  const int64_t max_bytes = info.max_cell_bytes.value_or(limits.max_cell_bytes);
  if (max_bytes > 0 && cell_bytes > static_cast<size_t>(max_bytes)) {
    return {Code::kInvalidArgument, "KeyValue size too large: " + std::to_string(cell_bytes) +
                                        " bytes, and the limit is " + std::to_string(max_bytes) +
                                        "; the table's setting hbase.server.keyvalue.maxsize changes it"};
  }
  return Status::Ok();
}

Status CheckTags(std::string_view row, std::string_view tags) {
  return model::AreTags(tags) ? Status::Ok()
                              : Status(Code::kInvalidArgument,
                                       "the tags of a cell of row " + ToStringBinary(row) + " are damaged or too long");
}

// Consecutive columns mostly have the same family, which is looked up once.
class FamilyCheck {
 public:
  FamilyCheck(const TableInfo& info, std::string_view row) : view_(*info.view), row_(row) {}

  Status operator()(std::string_view family) {
    if (last_ != nullptr && last_->descriptor.name == family) {
      return Status::Ok();
    }
    last_ = view_.Find(family);
    return last_ != nullptr ? Status::Ok() : NoSuchFamily(view_, row_, family);
  }

 private:
  const engine::TableView& view_;
  std::string_view row_;
  const engine::Family* last_ = nullptr;
};

// Rejects attributes that klip would not honour.
Status CheckAttributes(const OperationAttributes& attributes) {
  if (attributes.empty()) [[likely]] {
    return Status::Ok();
  }
  for (const char* const name : {kVisibilityAttribute, kPermissionsAttribute}) {
    if (attributes.contains(name)) {
      return {Code::kUnsupported,
              "attribute '" + std::string(name) +
                  "': klip keeps no cell from anybody: it has neither visibility labels nor permissions"};
    }
  }
  return Status::Ok();
}

}  // namespace

Status CheckSchema(const TableInfo& info, std::string_view row) {
  if (!info.enforce_schema) {
    return Status::Ok();
  }
  const Status fits = info.schema->Validate(row);
  return fits.ok()
             ? Status::Ok()
             : Status(fits.code(), "row '" + ToStringBinary(row) + "' does not fit the row-key schema of table '" +
                                       info.name() + "': " + fits.message());
}

Status NoSuchFamily(const engine::TableView& view, std::string_view row, std::string_view family) {
  const engine::Region& region = view.RegionOf(row);
  const std::string& table = view.descriptor.name;
  RegionInfo info = {.table = table, .start_key = ToStringBinary(region.start_key), .region_id = region.region_id};
  info.encoded_name = base::Hex(base::Md5(table + "," + region.start_key + "," + std::to_string(region.region_id)));
  return {Code::kNoSuchColumnFamily, "Column family " + ToStringBinary(family) + " does not exist in region " +
                                         info.Name() + " in table '" + table + "'"};
}

Status CheckMutation(const TableInfo& info, const Limits& limits, const Put& put) {
  KLIP_RETURN_IF_ERROR(model::CheckForm(put));
  KLIP_RETURN_IF_ERROR(CheckAttributes(put.attributes));
  KLIP_RETURN_IF_ERROR(CheckSchema(info, put.row));
  FamilyCheck check_family(info, put.row);
  for (const Put::Column& column : put.columns) {
    KLIP_RETURN_IF_ERROR(
        CheckCellSize(info, limits, CellBytes(put.row, column.family, column.qualifier, column.value)));
    KLIP_RETURN_IF_ERROR(check_family(column.family));
    KLIP_RETURN_IF_ERROR(CheckTags(put.row, column.tags));
  }
  return Status::Ok();
}

Status CheckMutation(const TableInfo& info, const Limits& limits, const Delete& del) {
  KLIP_RETURN_IF_ERROR(model::CheckForm(del));
  KLIP_RETURN_IF_ERROR(CheckAttributes(del.attributes));
  KLIP_RETURN_IF_ERROR(CheckSchema(info, del.row));
  FamilyCheck check_family(info, del.row);
  for (const Delete::Marker& marker : del.markers) {
    KLIP_RETURN_IF_ERROR(CheckCellSize(info, limits, CellBytes(del.row, marker.family, marker.qualifier, {})));
    KLIP_RETURN_IF_ERROR(check_family(marker.family));
  }
  return Status::Ok();
}

Status CheckMutation(const TableInfo& info, const Limits& limits, const Increment& increment) {
  KLIP_RETURN_IF_ERROR(model::CheckForm(increment));
  KLIP_RETURN_IF_ERROR(CheckAttributes(increment.attributes));
  KLIP_RETURN_IF_ERROR(CheckSchema(info, increment.row));
  FamilyCheck check_family(info, increment.row);
  for (const Increment::Column& column : increment.columns) {
    KLIP_RETURN_IF_ERROR(
        CheckCellSize(info, limits, CellBytes(increment.row, column.family, column.qualifier, "8 bytes.")));
    KLIP_RETURN_IF_ERROR(check_family(column.family));
  }
  return Status::Ok();
}

Status CheckMutation(const TableInfo& info, const Limits& limits, const Append& append) {
  KLIP_RETURN_IF_ERROR(model::CheckForm(append));
  KLIP_RETURN_IF_ERROR(CheckAttributes(append.attributes));
  KLIP_RETURN_IF_ERROR(CheckSchema(info, append.row));
  FamilyCheck check_family(info, append.row);
  for (const Append::Column& column : append.columns) {
    KLIP_RETURN_IF_ERROR(
        CheckCellSize(info, limits, CellBytes(append.row, column.family, column.qualifier, column.value)));
    KLIP_RETURN_IF_ERROR(check_family(column.family));
  }
  return Status::Ok();
}

Status CheckMutation(const TableInfo& info, const Limits& limits, const Mutation& mutation) {
  return std::visit([&](const auto& one) { return CheckMutation(info, limits, one); }, mutation);
}

Status CheckCells(const TableInfo& info, const Limits& limits, std::span<const Cell> cells) {
  const std::string_view row = cells.front().row;
  KLIP_RETURN_IF_ERROR(model::CheckRow(row));
  KLIP_RETURN_IF_ERROR(CheckSchema(info, row));
  FamilyCheck check_family(info, row);
  for (const Cell& cell : cells) {
    if (cell.row != row) {
      return {Code::kWrongRow, "expected cells of row '" + ToStringBinary(row) + "' only, found one of row '" +
                                   ToStringBinary(cell.row) + "'"};
    }
    KLIP_RETURN_IF_ERROR(model::CheckTimestamp(cell.timestamp_ms));
    KLIP_RETURN_IF_ERROR(CheckCellSize(info, limits, CellBytes(row, cell.family, cell.qualifier, cell.value)));
    KLIP_RETURN_IF_ERROR(check_family(cell.family));
    KLIP_RETURN_IF_ERROR(CheckTags(row, cell.tags));
  }
  return Status::Ok();
}

}  // namespace klip::table
