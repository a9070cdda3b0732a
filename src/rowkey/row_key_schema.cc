// RowKeySchema: converts values to whole keys and back. key_codec.cc encodes the fields.
#include <algorithm>

#include "klip/row_key.h"
#include "rowkey/key_codec.h"
#include "rowkey/schema_parser.h"

namespace klip {

using rowkey::AppendField;
using rowkey::DecodeField;
using rowkey::DerivedBytes;
using rowkey::FieldError;
using rowkey::SplitRow;

struct RowKeySchema::Parts {
  std::vector<KeyField> fields;
  std::vector<size_t> value_fields;  // indexes of the fields that take a value
  int width_bytes = 0;               // 0: variable
  bool derives_from_fields = false;  // has a hash or salt of fields
};

namespace {

Status TooManyOrFew(size_t given, size_t needed, const std::string& names) {
  return Status(Code::kInvalidArgument, std::to_string(given) + " values given, the row key has " +
                                            std::to_string(needed) + " fields that need one: " + names);
}

std::string ValueNames(const std::vector<KeyField>& fields) {
  std::string names;
  for (const KeyField& field : fields) {
    if (!field.derived()) {
      names += (names.empty() ? "" : ", ") + field.name;
    }
  }
  return names;
}

Status CheckRowBytes(size_t bytes) {
  if (bytes == 0) {
    return Status(Code::kInvalidArgument, "the row key is empty");
  }
  if (bytes > static_cast<size_t>(rowkey::kMaxRowBytes)) {
    return Status(Code::kInvalidArgument, "the row key has " + std::to_string(bytes) + " bytes, at most " +
                                              std::to_string(rowkey::kMaxRowBytes) + " are allowed");
  }
  return Status::Ok();
}

// The position of a field's bytes in a row that is being built.
struct Piece {
  size_t offset = 0;
  size_t bytes = 0;
};

// Appends all fields, with space for derived ones whose sources may come later in the row, and then fills these in.
template <typename Values>
Expected<std::string> BuildRow(const std::vector<KeyField>& fields, bool derives_from_fields, const Values& values) {
  std::string row;
  std::vector<Piece> pieces(fields.size());
  size_t next = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    const KeyField& field = fields[i];
    pieces[i].offset = row.size();
    if (field.type == KeyFieldType::kLiteral) {
      row.append(field.literal);
    } else if (field.derived()) {
      row.append(static_cast<size_t>(field.width_bytes), '\0');
    } else {
      KLIP_RETURN_IF_ERROR(AppendField(field, values[next++], &row));
    }
    pieces[i].bytes = row.size() - pieces[i].offset;
    if (field.delimiter) {
      row.push_back(*field.delimiter);
    }
  }
  KLIP_RETURN_IF_ERROR(CheckRowBytes(row.size()));
  if (!derives_from_fields) {
    return row;
  }
  std::vector<std::string_view> bytes(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    bytes[i] = std::string_view(row).substr(pieces[i].offset, pieces[i].bytes);
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].derived() && fields[i].type != KeyFieldType::kLiteral) {
      std::string derived = DerivedBytes(fields[i], bytes);
      std::copy(derived.begin(), derived.end(), row.begin() + static_cast<ptrdiff_t>(pieces[i].offset));
    }
  }
  return row;
}

Status AtField(const KeyField& field, size_t offset, const Status& status) {
  std::string at = field.type == KeyFieldType::kLiteral ? "at offset " : "field '" + field.name + "' at offset ";
  return Status(status.code(), at + std::to_string(offset) + ": " + status.message());
}

}  // namespace

Expected<RowKeySchema> RowKeySchema::Parse(std::string_view text) {
  KLIP_ASSIGN_OR_RETURN(std::vector<KeyField> fields, rowkey::ParseFields(text));
  auto parts = std::make_shared<Parts>();
  bool variable = false;
  for (size_t i = 0; i < fields.size(); ++i) {
    parts->width_bytes += fields[i].width_bytes;
    variable = variable || fields[i].width_bytes == 0;
    if (!fields[i].derived()) {
      parts->value_fields.push_back(i);
    } else if (fields[i].type != KeyFieldType::kLiteral) {
      parts->derives_from_fields = true;
    }
  }
  parts->width_bytes = variable ? 0 : parts->width_bytes;
  parts->fields = std::move(fields);
  return RowKeySchema(std::move(parts));
}

std::string RowKeySchema::ToString() const { return rowkey::FieldsToString(parts_->fields); }

const std::vector<KeyField>& RowKeySchema::fields() const { return parts_->fields; }

std::optional<int> RowKeySchema::FieldIndex(std::string_view name) const {
  for (size_t i = 0; i < parts_->fields.size(); ++i) {
    if (!name.empty() && parts_->fields[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

int RowKeySchema::width_bytes() const { return parts_->width_bytes; }

Expected<std::string> RowKeySchema::Encode(std::span<const std::string> values) const {
  if (values.size() != parts_->value_fields.size()) {
    return TooManyOrFew(values.size(), parts_->value_fields.size(), ValueNames(parts_->fields));
  }
  return BuildRow(parts_->fields, parts_->derives_from_fields, values);
}

Expected<std::string> RowKeySchema::Encode(std::initializer_list<std::string_view> values) const {
  if (values.size() != parts_->value_fields.size()) {
    return TooManyOrFew(values.size(), parts_->value_fields.size(), ValueNames(parts_->fields));
  }
  return BuildRow(parts_->fields, parts_->derives_from_fields,
                  std::span<const std::string_view>(values.begin(), values.size()));
}

Expected<std::string> RowKeySchema::EncodeNamed(std::span<const std::pair<std::string, std::string>> values) const {
  std::vector<const std::string*> found(parts_->fields.size(), nullptr);
  for (const auto& [name, value] : values) {
    std::optional<int> index = FieldIndex(name);
    if (!index) {
      return Status(Code::kInvalidArgument,
                    "no field '" + name + "' in the row key; it has " + ValueNames(parts_->fields));
    }
    const KeyField& field = parts_->fields[static_cast<size_t>(*index)];
    if (field.derived()) {
      return FieldError(field, "is computed from other fields and needs no value");
    }
    if (found[static_cast<size_t>(*index)] != nullptr) {
      return FieldError(field, "is given twice");
    }
    found[static_cast<size_t>(*index)] = &value;
  }
  std::vector<std::string_view> in_order;
  for (size_t index : parts_->value_fields) {
    if (found[index] == nullptr) {
      return FieldError(parts_->fields[index], "has no value");
    }
    in_order.push_back(*found[index]);
  }
  return BuildRow(parts_->fields, parts_->derives_from_fields, in_order);
}

Expected<std::vector<std::string>> RowKeySchema::Decode(std::string_view row) const {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string_view> bytes, SplitRow(parts_->fields, row));
  std::vector<std::string> values;
  values.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    Expected<std::string> value = DecodeField(parts_->fields[i], bytes[i]);
    if (!value.ok()) {
      return AtField(parts_->fields[i], static_cast<size_t>(bytes[i].data() - row.data()), value.status());
    }
    values.push_back(*std::move(value));
  }
  return values;
}

std::vector<std::string> RowKeySchema::DecodePrefix(std::string_view prefix) const {
  std::vector<std::string> values;
  for (const KeyField& field : parts_->fields) {
    const size_t bytes = field.width_bytes > 0 ? static_cast<size_t>(field.width_bytes)
                         : field.delimiter     ? prefix.find(*field.delimiter)
                                               : prefix.size();
    const size_t delimiter = field.delimiter ? 1 : 0;
    if (prefix.empty() || bytes == std::string_view::npos || bytes + delimiter > prefix.size()) {
      break;
    }
    Expected<std::string> value = DecodeField(field, prefix.substr(0, bytes));
    if (!value.ok()) {
      break;
    }
    values.push_back(*std::move(value));
    prefix.remove_prefix(bytes + delimiter);
  }
  return values;
}

Status RowKeySchema::Validate(std::string_view row) const {
  KLIP_RETURN_IF_ERROR(CheckRowBytes(row.size()));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string_view> bytes, SplitRow(parts_->fields, row));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const KeyField& field = parts_->fields[i];
    auto offset = static_cast<size_t>(bytes[i].data() - row.data());
    if (field.type == KeyFieldType::kText) {
      continue;  // any bytes are valid text
    }
    Expected<std::string> value = DecodeField(field, bytes[i]);
    if (!value.ok()) {
      return AtField(field, offset, value.status());
    }
    bool computed = field.derived() && field.type != KeyFieldType::kLiteral;
    if (computed && DerivedBytes(field, bytes) != bytes[i]) {
      return AtField(field, offset,
                     Status(Code::kInvalidArgument, rowkey::Shown(bytes[i]) +
                                                        " differs from the value computed from the other fields, " +
                                                        rowkey::Shown(DerivedBytes(field, bytes))));
    }
  }
  return Status::Ok();
}

}  // namespace klip
