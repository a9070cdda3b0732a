// Klip::Table: writes. Each method takes one Hash with the members of klip/mutation.h and operation_attributes.h; a
// column is [family, qualifier, value or amount, timestamp or nil].
#include <utility>

#include "shell/blocking.h"
#include "shell/objects.h"
#include "shell/operation_attributes.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

Expected<std::vector<VALUE>> Columns(const HashReader& reader, long members) {
  VALUE list = reader.At("columns");
  std::vector<VALUE> columns;
  if (NIL_P(list)) {
    return columns;
  }
  if (!RB_TYPE_P(list, T_ARRAY)) {
    return Status(Code::kInvalidArgument, "columns must be an Array");
  }
  for (long i = 0; i < RARRAY_LEN(list); ++i) {
    VALUE column = RARRAY_AREF(list, i);
    if (!RB_TYPE_P(column, T_ARRAY) || RARRAY_LEN(column) != members) {
      return Status(Code::kInvalidArgument, "a column must have " + std::to_string(members) + " members");
    }
    columns.push_back(column);
  }
  return columns;
}

Status ReadTimestamp(VALUE value, int64_t* timestamp_ms) {
  if (!NIL_P(value)) {
    KLIP_ASSIGN_OR_RETURN(*timestamp_ms, ToInt(value, "a timestamp"));
  }
  return Status();
}

template <typename Column>
Status ReadName(VALUE given, Column* column) {
  KLIP_ASSIGN_OR_RETURN(column->family, ToBytes(RARRAY_AREF(given, 0), "a family"));
  KLIP_ASSIGN_OR_RETURN(column->qualifier, ToBytes(RARRAY_AREF(given, 1), "a qualifier"));
  return Status();
}

Status ReadOperand(VALUE given, Increment::Column* column) {
  KLIP_ASSIGN_OR_RETURN(column->amount, ToInt(given, "an amount"));
  return Status();
}

Status ReadOperand(VALUE given, Append::Column* column) {
  KLIP_ASSIGN_OR_RETURN(column->value, ToBytes(given, "a value"));
  return Status();
}

Expected<std::vector<Put::Column>> ToPutColumns(const HashReader& reader) {
  KLIP_ASSIGN_OR_RETURN(std::vector<VALUE> given, Columns(reader, 4));
  std::vector<Put::Column> columns;
  for (VALUE one : given) {
    Put::Column column;
    KLIP_RETURN_IF_ERROR(ReadName(one, &column));
    KLIP_ASSIGN_OR_RETURN(column.value, ToBytes(RARRAY_AREF(one, 2), "a value"));
    KLIP_RETURN_IF_ERROR(ReadTimestamp(RARRAY_AREF(one, 3), &column.timestamp_ms));
    columns.push_back(std::move(column));
  }
  return columns;
}

Answer PutRow(VALUE self, Arguments args) {
  Put put;
  HashReader reader(args[0], "put");
  reader.Read("row", &put.row);
  reader.Read("ttl_ms", &put.ttl_ms);
  ReadOperationAttributes(&reader, &put.attributes);
  KLIP_RETURN_IF_ERROR(reader.status());
  KLIP_ASSIGN_OR_RETURN(put.columns, ToPutColumns(reader));
  return NilOr(Blocking([table = TableOf(self), put = std::move(put)] { return table.table->Put(put); }));
}

// A column is [family, qualifier or nil, :version, :versions or :family, timestamp or nil]; no columns: the whole row.
Answer DeleteRow(VALUE self, Arguments args) {
  Delete del;
  HashReader reader(args[0], "delete");
  reader.Read("row", &del.row);
  reader.Read("timestamp_ms", &del.timestamp_ms);
  ReadOperationAttributes(&reader, &del.attributes);
  KLIP_RETURN_IF_ERROR(reader.status());
  KLIP_ASSIGN_OR_RETURN(std::vector<VALUE> columns, Columns(reader, 4));
  for (VALUE one : columns) {
    Delete::Marker marker;
    KLIP_ASSIGN_OR_RETURN(marker.family, ToBytes(RARRAY_AREF(one, 0), "a family"));
    if (VALUE qualifier = RARRAY_AREF(one, 1); !NIL_P(qualifier)) {
      KLIP_ASSIGN_OR_RETURN(marker.qualifier, ToBytes(qualifier, "a qualifier"));
    }
    VALUE kind = RARRAY_AREF(one, 2);
    marker.type = kind == Symbol("version")    ? CellType::kDelete
                  : kind == Symbol("versions") ? CellType::kDeleteColumn
                                               : CellType::kDeleteFamily;
    KLIP_RETURN_IF_ERROR(ReadTimestamp(RARRAY_AREF(one, 3), &marker.timestamp_ms));
    del.markers.push_back(std::move(marker));
  }
  return NilOr(Blocking([table = TableOf(self), del = std::move(del)] { return table.table->Delete(del); }));
}

// An Increment or Append through this method of Table; the new cells, as [row, cells].
template <typename Mutation, auto kMethod>
Answer Accumulate(VALUE self, Arguments args) {
  Mutation mutation;
  HashReader reader(args[0], "increment or append");
  reader.Read("row", &mutation.row);
  reader.Read("ttl_ms", &mutation.ttl_ms);
  ReadOperationAttributes(&reader, &mutation.attributes);
  KLIP_RETURN_IF_ERROR(reader.status());
  KLIP_ASSIGN_OR_RETURN(std::vector<VALUE> columns, Columns(reader, 3));
  for (VALUE one : columns) {
    typename Mutation::Column column;
    KLIP_RETURN_IF_ERROR(ReadName(one, &column));
    KLIP_RETURN_IF_ERROR(ReadOperand(RARRAY_AREF(one, 2), &column));
    mutation.columns.push_back(std::move(column));
  }
  auto result =
      Blocking([table = TableOf(self), mutation = std::move(mutation)] { return ((*table.table).*kMethod)(mutation); });
  KLIP_RETURN_IF_ERROR(result.status());
  return FromResult(*result);
}

// prepend({last_key:, columns:}) -> the new row's key as a number. The row must not have the first column yet.
Answer PrependRow(VALUE self, Arguments args) {
  Prepend prepend;
  HashReader reader(args[0], "prepend");
  int64_t last_key = static_cast<int64_t>(prepend.last_key);
  reader.Read("last_key", &last_key);
  KLIP_RETURN_IF_ERROR(reader.status());
  KLIP_ASSIGN_OR_RETURN(prepend.columns, ToPutColumns(reader));
  if (prepend.columns.empty()) {
    return Status(Code::kInvalidArgument, "prepend needs a column");
  }
  prepend.last_key = static_cast<uint64_t>(last_key);
  prepend.family = prepend.columns[0].family;
  prepend.qualifier = prepend.columns[0].qualifier;
  auto key = Blocking([table = TableOf(self), prepend = std::move(prepend)] { return table.table->Prepend(prepend); });
  KLIP_RETURN_IF_ERROR(key.status());
  return ULL2NUM(*key);
}

}  // namespace

void DefineTableWrites(VALUE table_class) {
  DefineMethod<PutRow, 1>(table_class, "put");
  DefineMethod<DeleteRow, 1>(table_class, "delete");
  DefineMethod<Accumulate<Increment, &Table::Increment>, 1>(table_class, "increment");
  DefineMethod<Accumulate<Append, &Table::Append>, 1>(table_class, "append");
  DefineMethod<PrependRow, 1>(table_class, "prepend");
}

}  // namespace klip::shell
