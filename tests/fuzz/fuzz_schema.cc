#include <algorithm>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "fuzz/targets.h"
#include "klip/row_key.h"

namespace klip::fuzz {
namespace {

std::string_view TakePart(std::string_view* bytes) {
  const size_t end = std::min(bytes->find('\0'), bytes->size());
  const std::string_view part = bytes->substr(0, end);
  bytes->remove_prefix(std::min(end + 1, bytes->size()));
  return part;
}

}  // namespace

void FuzzSchema(std::string_view bytes) {
  const Expected<RowKeySchema> schema = RowKeySchema::Parse(TakePart(&bytes));
  if (!schema.ok()) {
    return;
  }
  const Expected<RowKeySchema> again = RowKeySchema::Parse(schema->ToString());
  Check(again.ok() && *again == *schema);
  const std::string_view query_text = TakePart(&bytes);
  const Expected<std::vector<std::string>> values = schema->Decode(bytes);
  // A value cannot be recovered from its hash.
  const bool reversible = std::none_of(schema->fields().begin(), schema->fields().end(), [](const KeyField& field) {
    return field.type == KeyFieldType::kHash && !field.derived();
  });
  if (reversible && values.ok() && schema->Validate(bytes).ok()) {
    std::vector<std::string> given;
    for (size_t i = 0; i < values->size(); ++i) {
      if (!schema->fields()[i].derived()) {
        given.push_back((*values)[i]);
      }
    }
    const Expected<std::string> key = schema->Encode(given);
    Check(key.ok() && *key == bytes);
  }
  const Expected<KeyQuery> query = schema->ParseQuery(query_text);
  if (!query.ok()) {
    return;
  }
  Check(schema->ParseQuery(query->ToString()).ok());
  const auto rows = schema->Compile(*query);
  if (rows.ok()) {
    (void)(*rows)->Contains(bytes);
    (void)(*rows)->ToString();
    (void)(*rows)->Points(100);
  }
}

}  // namespace klip::fuzz
