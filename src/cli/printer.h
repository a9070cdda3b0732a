// Prints rows: as aligned lines like HBase's shell, as JSON lines, or as CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/console.h"
#include "klip/cell.h"
#include "klip/query.h"
#include "klip/row_key.h"

namespace klip::cli {

using Json = nlohmann::ordered_json;

// {"row": ..., "key": {field: value, ...}, "stale": true where a replica has answered, "cells": [{"column", "timestamp", "type" of
// markers, "value"}, ...]}
Json RowToJson(const Result& result, const std::optional<RowKeySchema>& schema);

// ROW                COLUMN+CELL
//  alice             d:visits, timestamp=1403913600000, value=3
//
// or, as CSV, a header and one line per cell; with a schema its fields too:
//
// row,column,timestamp,type,value
// alice,d:visits,1403913600000,Put,3
class RowPrinter {
 public:
  RowPrinter(const Console& console, OutputForm form, std::optional<RowKeySchema> schema);

  void Print(const Result& result);

  // "3 rows in 1.2 ms", and whether replicas answered; nothing with --json and --csv.
  void Finish(int64_t elapsed_us);

  int64_t rows() const { return rows_; }

 private:
  void PrintCsv(const Result& result);

  const Console& console_;
  OutputForm form_;
  std::optional<RowKeySchema> schema_;
  size_t row_width_ = 0;  // of the ROW column; set by the first row
  int64_t rows_ = 0;
  bool stale_ = false;    // one of them may be
  std::string last_row_;  // pieces of one row count once
};

// "Put", "Delete", "DeleteColumn", ...: HBase's names.
std::string_view CellTypeName(CellType type);

// `text` as one CSV field, quoted if necessary.
std::string CsvField(std::string_view text, char separator = ',');

// The fields as a line, with its end.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace klip::cli
