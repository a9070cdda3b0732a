// Rows and cells on the wire: HBase's CellSet in JSON and XML, with keys, columns and values in base64. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cell.h"
#include "klip/status.h"
#include "rest/message.h"

namespace klip::rest {

// A larger answer is refused, or ends earlier: its rows are in memory as cells and as text.
inline constexpr size_t kMaxAnswerBytes = 64 << 20;

struct CellSet {
  struct Cell {
    std::string column;  // "family:qualifier"
    int64_t timestamp_ms = kLatestTimestamp;
    std::string value;
    bool has_column = true;  // false: a request left it out, and its URL may have it
  };
  struct Row {
    std::string key;
    std::vector<Cell> cells;
    bool has_key = true;  // as has_column
  };

  std::vector<Row> rows;
  size_t bytes = 0;  // of what was added, with its share of the answer's format

  // Adds to the last row if it is the same.
  void Add(const klip::Cell& cell);
};

// 413 for more than kMaxAnswerBytes, with advice for the client.
Response TooLarge(std::string_view instead);

// In the requested format: JSON or XML.
Response CellSetResponse(const Request& request, const CellSet& cells);

// The same for a scan in one answer, which HBase streams: as protobuf in sets of ten rows, each after its length in two
// bytes. Errors in the answer: 413 for a set whose length does not fit.
Response ScanResponse(const Request& request, const CellSet& cells);

// From the request's body. Errors: kInvalidArgument; kUnsupported for other formats than JSON and XML.
Expected<CellSet> ReadCellSet(const Request& request);

}  // namespace klip::rest
