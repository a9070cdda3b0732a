// The open scanners of clients of both interfaces, by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/open_handles.h"
#include "klip/connection.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::thrift {

// Further scanners are refused.
inline constexpr size_t kMaxOpenScanners = 10'000;

struct OpenScanner {
  std::mutex mutex;  // a client may use two connections at once
  std::unique_ptr<Table> table;
  std::unique_ptr<ResultScanner> rows;
  bool sort_columns = false;  // Thrift1: columns in a list instead of a map
};

using Scanners = base::OpenHandles<OpenScanner>;

// Returns the new scanner's number. Errors: those of Table::Scan; kIoError if too many are open.
Expected<int32_t> Open(Scanners* scanners, Connection* connection, const std::string& table, const Scan& scan,
                       bool sort_columns);

}  // namespace klip::thrift
