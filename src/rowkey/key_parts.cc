#include "rowkey/key_parts.h"

namespace klip::rowkey {

std::vector<KeyPart> KeyParts(const RowKeySchema& schema) {
  std::vector<KeyPart> parts;
  int literal_bytes = 0;  // of literals before the first part that can include them
  for (const KeyField& field : schema.fields()) {
    if (field.type == KeyFieldType::kLiteral) {
      if (!parts.empty() && parts.back().width_bytes > 0) {
        parts.back().width_bytes += field.width_bytes;
      } else {
        literal_bytes += field.width_bytes;
      }
      continue;
    }
    if (field.width_bytes == 0 && literal_bytes > 0) {
      break;
    }
    parts.push_back({.name = field.name,
                     .width_bytes = field.width_bytes == 0 ? 0 : field.width_bytes + literal_bytes,
                     .delimiter = field.delimiter});
    literal_bytes = 0;
  }
  return parts;
}

}  // namespace klip::rowkey
