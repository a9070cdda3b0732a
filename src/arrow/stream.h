// Converts rows to Arrow's C stream interface.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/column_builder.h"
#include "klip/arrow_abi.h"
#include "klip/status.h"

namespace klip::arrow {

// The source of a stream's rows. Used by one thread at a time.
class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual const std::vector<Field>& fields() const = 0;
  // Appends one value to each column; false at the end, without appending. Not called again after an error.
  virtual Expected<bool> AppendRow(std::vector<ColumnBuilder>* columns) = 0;
};

// A stream of the source's rows. Errors of the source become EIO, and its text get_last_error. REQUIRES: the source has a field.
void MakeStream(std::unique_ptr<RowSource> source, int batch_rows, ArrowArrayStream* out);

}  // namespace klip::arrow
