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
  // Errors: kInvalidArgument naming `table`: there is no schema, or there are not that many fields, or the end of the last
  // one cannot be told from a key.
  static Expected<LeadingFields> Make(const std::optional<RowKeySchema>& schema, std::string_view table, int fields);

  // The bytes of `row` that hold them; nullopt for a row that ends before.
  std::optional<std::string_view> Cut(std::string_view row) const;

  // Their texts. Errors: kInvalidArgument: the row is no key of the schema.
  Expected<std::vector<std::string>> Values(std::string_view row) const;

 private:
  LeadingFields(RowKeySchema schema, std::vector<KeyPart> parts, size_t fields)
      : schema_(std::move(schema)), parts_(std::move(parts)), fields_(fields) {}

  RowKeySchema schema_;
  std::vector<KeyPart> parts_;  // empty: the whole row
  size_t fields_;
};

// Rows in key order, by their leading fields.
class KeyCounter {
 public:
  // Borrows `fields`. Without `count_rows` only the different values are listed.
  KeyCounter(const LeadingFields* fields, bool count_rows) : fields_(fields), count_rows_(count_rows) {}

  // Rows that are no keys of the schema are passed over.
  void Add(std::string_view row);
  std::vector<KeyCount> Take() { return std::move(counts_); }

 private:
  const LeadingFields* const fields_;
  const bool count_rows_;
  std::vector<KeyCount> counts_;
  std::string last_;
};

}  // namespace klip::rowkey
