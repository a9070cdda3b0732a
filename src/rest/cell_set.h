// Rows and cells as they travel: HBase's CellSet in JSON and XML, keys, columns and values in base64. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cell.h"
#include "klip/status.h"
#include "rest/message.h"

namespace klip::rest {

struct CellSet {
  struct Cell {
    std::string column;  // "family:qualifier"
    int64_t timestamp_ms = kLatestTimestamp;
    std::string value;
  };
  struct Row {
    std::string key;
    std::vector<Cell> cells;
  };

  std::vector<Row> rows;

  // Into the last row when it is the same one.
  void Add(const klip::Cell& cell);
};

// As the client asked: JSON or XML.
Response CellSetResponse(const Request& request, const CellSet& cells);

// The same for a scan in one answer, which HBase streams: as protobuf in sets of ten rows, each behind its length in two bytes.
// Errors in the answer: 413 for a set whose length does not fit.
Response ScanResponse(const Request& request, const CellSet& cells);

// Of the request's body. Errors: kInvalidArgument; kUnsupported for a kind that is neither JSON nor XML.
Expected<CellSet> ReadCellSet(const Request& request);

}  // namespace klip::rest
