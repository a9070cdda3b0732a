// Klip::Table: reads, and information about the table. Writes are in table_writes.cc.
#include "shell/blocking.h"
#include "shell/objects.h"
#include "shell/read_request.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

VALUE table_class = Qnil;

// [row, cells, stale] of a read; nil if there is no such row.
Answer RowOrNil(const Expected<Result>& result) {
  KLIP_RETURN_IF_ERROR(result.status());
  return result->empty() ? Qnil : FromResult(*result);
}

Answer GetRow(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(klip::Get get, ToGet(args[0]));
  return RowOrNil(Blocking([table = TableOf(self), get = std::move(get)] { return table.table->Get(get); }));
}

Answer FirstRow(VALUE self, Arguments) {
  return RowOrNil(Blocking([table = TableOf(self)] { return table.table->FirstRow(); }));
}

Answer LastRow(VALUE self, Arguments) {
  return RowOrNil(Blocking([table = TableOf(self)] { return table.table->LastRow(); }));
}

Answer OpenScan(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(klip::Scan scan, ToScan(args[0], *TableOf(self).table));
  auto scanner =
      Blocking([table = TableOf(self), scan = std::move(scan)]() -> Expected<std::shared_ptr<ResultScanner>> {
        KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> opened, table.table->Scan(scan));
        return std::shared_ptr<ResultScanner>(std::move(opened));
      });
  KLIP_RETURN_IF_ERROR(scanner.status());
  return WrapScanner({TableOf(self).connection, TableOf(self).table, *std::move(scanner)});
}

// How the scan would run, as text.
Answer ExplainScan(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(klip::Scan scan, ToScan(args[0], *TableOf(self).table));
  auto explain = Blocking([table = TableOf(self), scan = std::move(scan)] { return table.table->Explain(scan); });
  KLIP_RETURN_IF_ERROR(explain.status());
  return FromText(explain->ToText());
}

Answer Name(VALUE self, Arguments) { return FromText(TableOf(self).table->name()); }

Expected<RowKeySchema> SchemaOf(VALUE self) {
  std::optional<RowKeySchema> schema = TableOf(self).table->row_key_schema();
  if (!schema) {
    return Status(Code::kInvalidArgument, "table '" + TableOf(self).table->name() +
                                              "' has no row-key schema (attribute " +
                                              std::string(RowKeySchema::kTableAttribute) + ")");
  }
  return *schema;
}

// The schema's text, or nil.
Answer RowKeyText(VALUE self, Arguments) {
  std::optional<RowKeySchema> schema = TableOf(self).table->row_key_schema();
  return schema ? FromText(schema->ToString()) : Qnil;
}

// encode_row_key([[field, text], ...]) -> the key
Answer EncodeRowKey(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(RowKeySchema schema, SchemaOf(self));
  if (!RB_TYPE_P(args[0], T_ARRAY)) {
    return Status(Code::kInvalidArgument, "row key fields must be an Array of [name, value]");
  }
  std::vector<std::pair<std::string, std::string>> values;
  for (long i = 0; i < RARRAY_LEN(args[0]); ++i) {
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> field, ToByteList(RARRAY_AREF(args[0], i), "a row key field"));
    if (field.size() != 2) {
      return Status(Code::kInvalidArgument, "a row key field must be [name, value]");
    }
    values.emplace_back(field[0], field[1]);
  }
  KLIP_ASSIGN_OR_RETURN(std::string row, schema.EncodeNamed(values));
  return FromBytes(row);
}

// decode_row_key(row) -> [[field, text], ...]
Answer DecodeRowKey(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(RowKeySchema schema, SchemaOf(self));
  KLIP_ASSIGN_OR_RETURN(std::string row, ToBytes(args[0], "a row"));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> values, schema.Decode(row));
  VALUE fields = rb_ary_new();
  for (size_t i = 0; i < values.size(); ++i) {
    rb_ary_push(fields, rb_ary_new_from_args(2, FromText(schema.fields()[i].name), FromBytes(values[i])));
  }
  return fields;
}

}  // namespace

VALUE WrapTable(RubyTable table) { return Wrapped<RubyTable>::Wrap(table_class, std::move(table)); }

void DefineTable(VALUE module) {
  table_class = rb_define_class_under(module, "Table", rb_cObject);
  rb_gc_register_mark_object(table_class);
  rb_undef_alloc_func(table_class);
  DefineMethod<Name, 0>(table_class, "name");
  DefineMethod<GetRow, 1>(table_class, "get");
  DefineMethod<OpenScan, 1>(table_class, "scan");
  DefineMethod<ExplainScan, 1>(table_class, "explain");
  DefineMethod<FirstRow, 0>(table_class, "first_row");
  DefineMethod<LastRow, 0>(table_class, "last_row");
  DefineMethod<RowKeyText, 0>(table_class, "row_key");
  DefineMethod<EncodeRowKey, 1>(table_class, "encode_row_key");
  DefineMethod<DecodeRowKey, 1>(table_class, "decode_row_key");
  DefineTableWrites(table_class);
}

}  // namespace klip::shell
