// A table as the target of a copy: complete files if the backend accepts them (a store in a directory), else batches.
#pragma once

#include <memory>
#include <string>

#include "copy/copier.h"
#include "klip/connection.h"

namespace klip::copy {

class TableTarget final : public CopyTarget {
 public:
  // `in_write_order`: consecutive pieces of a row are written one after the other (write_order.h).
  TableTarget(Connection* connection, Table* table, bool in_write_order)
      : connection_(connection), table_(table), in_write_order_(in_write_order) {}

  Expected<std::unique_ptr<ChunkWriter>> NewChunk() override;

 private:
  Connection* const connection_;
  Table* const table_;
  const bool in_write_order_;
};

}  // namespace klip::copy
