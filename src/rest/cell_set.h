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

// An answer of rows that are more is refused, or ends before them: they are in memory as cells and as text.
inline constexpr size_t kMaxAnswerBytes = 64 << 20;

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
  size_t bytes = 0;  // of what was added, with what surrounds it in an answer

  // Into the last row when it is the same one.
  void Add(const klip::Cell& cell);
};

// 413 for more than kMaxAnswerBytes, with what the client can do.
Response TooLarge(std::string_view instead);

// As the client asked: JSON or XML.
Response CellSetResponse(const Request& request, const CellSet& cells);

// The same for a scan in one answer, which HBase streams: as protobuf in sets of ten rows, each behind its length in two bytes.
// Errors in the answer: 413 for a set whose length does not fit.
Response ScanResponse(const Request& request, const CellSet& cells);

// Of the request's body. Errors: kInvalidArgument; kUnsupported for a kind that is neither JSON nor XML.
Expected<CellSet> ReadCellSet(const Request& request);

}  // namespace klip::rest
