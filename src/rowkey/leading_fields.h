// LeadingFields: the first named fields of a table's row keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/row_key.h"
#include "klip/table.h"
#include "rowkey/key_parts.h"

namespace klip::rowkey {

class LeadingFields {
 public:
  // Errors: kInvalidArgument naming `table`: no schema, fewer fields than requested, or the end of the last one is not
  // recognizable in a key.
  static Expected<LeadingFields> Make(const std::optional<RowKeySchema>& schema, std::string_view table, int fields);

  // The bytes of `row` that contain the fields; nullopt if the row is too short.
  std::optional<std::string_view> Cut(std::string_view row) const;

  // The fields' texts. Errors: kInvalidArgument: the row is not a key of the schema.
  Expected<std::vector<std::string>> Values(std::string_view row) const;

 private:
  LeadingFields(RowKeySchema schema, std::vector<KeyPart> parts, size_t fields)
      : schema_(std::move(schema)), parts_(std::move(parts)), fields_(fields) {}

  RowKeySchema schema_;
  std::vector<KeyPart> parts_;  // empty: the whole row
  size_t fields_;
};

// Counts rows in key order, by their leading fields.
class KeyCounter {
 public:
  // Borrows `fields`. Without `count_rows`, it only lists the distinct values.
  KeyCounter(const LeadingFields* fields, bool count_rows) : fields_(fields), count_rows_(count_rows) {}

  // Ignores rows that are not keys of the schema.
  void Add(std::string_view row);
  std::vector<KeyCount> Take() { return std::move(counts_); }

 private:
  const LeadingFields* const fields_;
  const bool count_rows_;
  std::vector<KeyCount> counts_;
  std::string last_;
};

}  // namespace klip::rowkey
