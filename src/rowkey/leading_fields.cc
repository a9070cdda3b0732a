#include "rowkey/leading_fields.h"

#include <utility>

namespace klip::rowkey {

Expected<LeadingFields> LeadingFields::Make(const std::optional<RowKeySchema>& schema, std::string_view table,
                                            int fields) {
  const std::string name = "table '" + std::string(table) + "'";
  if (!schema.has_value()) {
    return Status(Code::kInvalidArgument, name + " has no row-key schema");
  }
  int named = 0;
  for (const KeyField& field : schema->fields()) {
    named += field.type == KeyFieldType::kLiteral ? 0 : 1;
  }
  if (fields < 1 || fields > named) {
    return Status(Code::kInvalidArgument, name + " has " + std::to_string(named) +
                                              " key fields: cannot count the values of " + std::to_string(fields));
  }
  std::vector<KeyPart> parts = KeyParts(*schema);
  const auto count = static_cast<size_t>(fields);
  if (count <= parts.size()) {
    parts.resize(count);
  } else if (fields == named) {
    parts.clear();
  } else {
    return Status(Code::kInvalidArgument,
                  "the key alone does not show where key field " + std::to_string(fields) + " of " + name + " ends");
  }
  return LeadingFields(*schema, std::move(parts), count);
}

std::optional<std::string_view> LeadingFields::Cut(std::string_view row) const {
  size_t end = parts_.empty() ? row.size() : 0;
  for (const KeyPart& part : parts_) {
    if (part.width_bytes > 0) {
      end += static_cast<size_t>(part.width_bytes);
    } else if (part.delimiter.has_value()) {
      const size_t found = row.find(*part.delimiter, end);
      end = found == std::string_view::npos ? row.size() + 1 : found + 1;
    } else {
      end = row.size();
    }
    if (end > row.size()) {
      return std::nullopt;
    }
  }
  return row.substr(0, end);
}

Expected<std::vector<std::string>> LeadingFields::Values(std::string_view row) const {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> all, schema_.Decode(row));
  std::vector<std::string> values;
  for (size_t i = 0; i < all.size() && values.size() < fields_; ++i) {
    if (schema_.fields()[i].type != KeyFieldType::kLiteral) {
      values.push_back(std::move(all[i]));
    }
  }
  return values;
}

void KeyCounter::Add(std::string_view row) {
  const std::optional<std::string_view> prefix = fields_->Cut(row);
  if (!prefix.has_value()) {
    return;
  }
  if (counts_.empty() || *prefix != last_) {
    Expected<std::vector<std::string>> values = fields_->Values(row);
    if (!values.ok()) {
      return;
    }
    last_ = *prefix;
    counts_.push_back({*std::move(values), 0});
  }
  counts_.back().rows += count_rows_ ? 1 : 0;
}

}  // namespace klip::rowkey
