// The parts of a row key for which statistics are kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "klip/row_key.h"

namespace klip::rowkey {

// One named field and the literals beside it: a prefix of parts ends where a field ends.
struct KeyPart {
  std::string name;
  int width_bytes = 0;            // 0: up to and including the delimiter; without one, the rest of the row
  std::optional<char> delimiter;  // if width_bytes is 0
  bool operator==(const KeyPart&) const = default;
};

// The leading parts of a schema's keys, one per named field, in order. A literal belongs to the part before it if that
// has a fixed width, else to the one after. The list ends early before a literal that is followed by a field without a
// width, unless a field of fixed width comes before it; if the schema starts with such a literal, it is empty.
std::vector<KeyPart> KeyParts(const RowKeySchema& schema);

}  // namespace klip::rowkey
