#include "thrift/scanners.h"

#include <optional>
#include <utility>

namespace klip::thrift {

Expected<int32_t> Open(Scanners* scanners, Connection* connection, const std::string& table, const Scan& scan,
                       bool sort_columns) {
  auto scanner = std::make_shared<OpenScanner>();
  scanner->sort_columns = sort_columns;
  KLIP_ASSIGN_OR_RETURN(scanner->table, connection->GetTable(table));
  KLIP_ASSIGN_OR_RETURN(scanner->rows, scanner->table->Scan(scan));
  const std::optional<int32_t> id = scanners->Add(std::move(scanner));
  if (!id.has_value()) {
    return Status(Code::kIoError, "too many open scanners: " + std::to_string(kMaxOpenScanners));
  }
  return *id;
}

}  // namespace klip::thrift
