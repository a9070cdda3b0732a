// The parts of a row key that statistics are kept of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "klip/row_key.h"

namespace klip::rowkey {

// One named field and the literals beside it: a prefix of parts ends where a field ends.
struct KeyPart {
  std::string name;
  int width_bytes = 0;            // 0: up to and including the delimiter
  std::optional<char> delimiter;  // when width_bytes is 0
  bool operator==(const KeyPart&) const = default;
};

// The leading parts of the keys of a schema, one per named field, in order. A literal counts to the part before it when
// that has a fixed width, else to the one after. The list ends early at a last part without an end, and at a literal
// between two delimited fields; a schema that starts with such a part has none.
std::vector<KeyPart> KeyParts(const RowKeySchema& schema);

}  // namespace klip::rowkey
