// Thrift1Handler: reading rows by their keys.
#include "thrift/attributes.h"
#include "thrift/thrift1_convert.h"
#include "thrift/thrift1_handler.h"

namespace klip::thrift {

void Thrift1Handler::get(Cells& cells, Text table, Text row, Text column, Attributes attributes) {
  klip::Get get{.row = row, .columns = {ParseColumn(column)}, .attributes = OthersFrom(attributes)};
  AppendCells(Check(OpenTable(table)->Get(get)), &cells);
}

void Thrift1Handler::getVer(Cells& cells, Text table, Text row, Text column, int32_t versions, Attributes attributes) {
  klip::Get get{
      .row = row, .columns = {ParseColumn(column)}, .max_versions = versions, .attributes = OthersFrom(attributes)};
  AppendCells(Check(OpenTable(table)->Get(get)), &cells);
}

void Thrift1Handler::getVerTs(Cells& cells, Text table, Text row, Text column, int64_t timestamp_ms, int32_t versions,
                              Attributes attributes) {
  klip::Get get{.row = row,
                .columns = {ParseColumn(column)},
                .time_range = {0, timestamp_ms},
                .max_versions = versions,
                .attributes = OthersFrom(attributes)};
  AppendCells(Check(OpenTable(table)->Get(get)), &cells);
}

void Thrift1Handler::getRow(Rows& rows, Text table, Text row, Attributes attributes) {
  getRowWithColumnsTs(rows, table, row, {}, kLatestTimestamp, attributes);
}

void Thrift1Handler::getRowWithColumns(Rows& rows, Text table, Text row, Texts columns, Attributes attributes) {
  getRowWithColumnsTs(rows, table, row, columns, kLatestTimestamp, attributes);
}

void Thrift1Handler::getRowTs(Rows& rows, Text table, Text row, int64_t timestamp_ms, Attributes attributes) {
  getRowWithColumnsTs(rows, table, row, {}, timestamp_ms, attributes);
}

void Thrift1Handler::getRowWithColumnsTs(Rows& rows, Text table, Text row, Texts columns, int64_t timestamp_ms,
                                         Attributes attributes) {
  klip::Get get{.row = row,
                .columns = ParseColumns(columns),
                .time_range = {0, timestamp_ms},
                .attributes = OthersFrom(attributes)};
  AppendRow(Check(OpenTable(table)->Get(get)), /*sort_columns=*/false, &rows);
}

void Thrift1Handler::getRows(Rows& rows, Text table, Texts keys, Attributes attributes) {
  getRowsWithColumnsTs(rows, table, keys, {}, kLatestTimestamp, attributes);
}

void Thrift1Handler::getRowsWithColumns(Rows& rows, Text table, Texts keys, Texts columns, Attributes attributes) {
  getRowsWithColumnsTs(rows, table, keys, columns, kLatestTimestamp, attributes);
}

void Thrift1Handler::getRowsTs(Rows& rows, Text table, Texts keys, int64_t timestamp_ms, Attributes attributes) {
  getRowsWithColumnsTs(rows, table, keys, {}, timestamp_ms, attributes);
}

void Thrift1Handler::getRowsWithColumnsTs(Rows& rows, Text table, Texts keys, Texts columns, int64_t timestamp_ms,
                                          Attributes attributes) {
  const OperationAttributes others = OthersFrom(attributes);
  std::vector<klip::Get> gets;
  gets.reserve(keys.size());
  for (const std::string& key : keys) {
    gets.push_back(
        {.row = key, .columns = ParseColumns(columns), .time_range = {0, timestamp_ms}, .attributes = others});
  }
  for (const Result& result : Check(OpenTable(table)->Get(gets))) {
    AppendRow(result, /*sort_columns=*/false, &rows);
  }
}

}  // namespace klip::thrift
