// Row-key schemas and queries by key field.
//
// A schema names the parts of a row key, so that programs can build, check, decode and query keys by name:
//
//   KLIP_ASSIGN_OR_RETURN(RowKeySchema schema,
//                         RowKeySchema::Parse("username:text(10,'*') date:digits(8) domain:text(20,'*')"));
//   KLIP_ASSIGN_OR_RETURN(std::string row, schema.Encode({"alice", "20140628", "foo.bar"}));
//   KLIP_ASSIGN_OR_RETURN(KeyQuery query, schema.ParseQuery("date=20140628"));
//
// docs/keys.md describes the types of fields with their bytes, and the syntax of queries; RowKeyHelp() returns that text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "klip/status.h"

namespace klip {

namespace filter {
class RowSet;
}

enum class KeyFieldType : uint8_t {
  kText,
  kBytes,
  kDigits,
  kDate,
  kUnsigned,
  kSigned,
  kTimestamp,
  kReverseTimestamp,
  kHash,
  kSalt,
  kLiteral,
};

enum class KeyHash : uint8_t { kMd5, kSha1, kSha256 };

struct KeyField {
  std::string name;  // empty for literals; "salt" for an unnamed salt
  KeyFieldType type = KeyFieldType::kText;
  int width_bytes = 0;             // 0: variable
  std::optional<char> delimiter;   // for a variable-width field that is not the last
  char pad = ' ';                  // kText
  bool truncate = false;           // kText
  bool descending = false;         // encoded bytes are complemented
  KeyHash hash = KeyHash::kMd5;    // kHash
  int salt_buckets = 0;            // kSalt
  std::vector<int> source_fields;  // kHash, kSalt: indexes of the hashed fields; empty: a hash's own value
  std::string literal;             // kLiteral

  // Computed from other fields (hash, salt) or constant (literal): Encode needs no value for it.
  bool derived() const {
    return (type == KeyFieldType::kHash && !source_fields.empty()) || type == KeyFieldType::kSalt ||
           type == KeyFieldType::kLiteral;
  }
  bool operator==(const KeyField&) const = default;
};

// --- Conditions on one field. Values are texts as for Encode ("20140628", "42", "alice"). ---
struct AnyValue {
  bool operator==(const AnyValue&) const = default;
};
struct Exact {
  std::string value;
  bool operator==(const Exact&) const = default;
};
struct StartsWith {  // text, bytes, digits and dates, as they are in the key: digits with their leading zeros
  std::string prefix;
  bool operator==(const StartsWith&) const = default;
};
struct OneOf {
  std::vector<std::string> values;
  bool operator==(const OneOf&) const = default;
};
struct NoneOf {
  std::vector<std::string> values;
  bool operator==(const NoneOf&) const = default;
};
struct NotStartsWith {  // for the same fields as StartsWith
  std::string prefix;
  bool operator==(const NotStartsWith&) const = default;
};
// By the field's order in an ascending key. A missing bound is open; low above high: no row. Not for hashes.
struct Between {
  std::optional<std::string> low;
  std::optional<std::string> high;
  bool include_low = true;
  bool include_high = true;
  bool operator==(const Between&) const = default;
};
// One character per byte, '?' = any byte. For text (shorter masks are padded), bytes, digits and dates of fixed width.
struct ByteMask {
  std::string pattern;
  bool operator==(const ByteMask&) const = default;
};
using FieldMatch = std::variant<AnyValue, Exact, StartsWith, OneOf, Between, ByteMask, NoneOf, NotStartsWith>;

// A condition on the newest value of a column. A row without the column does not match, as NULL in SQL.
struct ColumnMatch {
  std::string family;
  std::string qualifier;
  // The type of the values: "bytes", "digits(n)", "date", "ts", "u8" to "i64"; empty: text; "upper", "lower": text in that case.
  std::string type = {};
  FieldMatch match = {};  // no ByteMask
  bool missing = false;   // instead of `match`: rows without the column

  bool operator==(const ColumnMatch&) const = default;
};

// A condition per field; fields that are not named may have any value. All must hold.
struct KeyBox {
  std::vector<std::pair<std::string, FieldMatch>> fields;  // field name -> condition
  std::vector<ColumnMatch> columns = {};                   // only in Scan::where; RowKeySchema::Compile ignores them
  bool operator==(const KeyBox&) const = default;
};

// Rows that match any of the boxes; each row is returned once. No box: no row.
struct KeyQuery {
  std::vector<KeyBox> any_of;

  // The text for Table::ParseQuery; types follow their columns.
  std::string ToString() const;
  bool operator==(const KeyQuery&) const = default;
};

// Thread-safe, cheap to copy.
class RowKeySchema {
 public:
  // The table attribute that holds a table's schema text. It is an ordinary attribute, so it works on a real HBase too.
  static constexpr std::string_view kTableAttribute = "KLIP_ROW_KEY";
  // Table attribute; "true": the store refuses mutations whose row does not fit the schema.
  static constexpr std::string_view kEnforceAttribute = "KLIP_ROW_KEY_ENFORCED";

  // Errors: kInvalidArgument naming the offset and what was expected there.
  static Expected<RowKeySchema> Parse(std::string_view text);

  // The canonical text; Parse(ToString()) gives an equal schema.
  std::string ToString() const;

  const std::vector<KeyField>& fields() const;
  // Index of the named field, or nullopt.
  std::optional<int> FieldIndex(std::string_view name) const;
  // Total width, or 0 if a part has variable width.
  int width_bytes() const;

  // The row key of these values: one text per field that is not derived, in schema order.
  // Errors: kInvalidArgument naming the field: too long, not a number, out of range, contains its delimiter.
  Expected<std::string> Encode(std::span<const std::string> values) const;
  Expected<std::string> Encode(std::initializer_list<std::string_view> values) const;
  // The same by name; every field that is not derived must occur once.
  Expected<std::string> EncodeNamed(std::span<const std::pair<std::string, std::string>> values) const;

  // The fields of a row key, one text per field (including derived ones and literals), without padding.
  // Errors: kInvalidArgument naming the field and offset at which the key does not fit.
  Expected<std::vector<std::string>> Decode(std::string_view row) const;

  // The leading fields that are complete in the first bytes of a row key, as from Decode.
  std::vector<std::string> DecodePrefix(std::string_view prefix) const;

  // Ok if Encode could have produced the row.
  Status Validate(std::string_view row) const;

  // Parses a query; docs/keys.md describes the grammar. In short:
  //
  //   date=20140628     equal to           date!=20140628    not equal to
  //   user=al*          starts with        user!=al*         does not start with
  //   domain=a.com,b.com    one of         domain!=a,b       none of
  //   ts=100..200       between, both ends included
  //   seq>=5  seq<9     one-sided          code=~'A??7'      byte mask, ? is any byte
  //   at=2014-06  at>=now-1h               dates and times, for fields of type date, ts and reverse_ts
  //   a=1 b=2           both hold (or a=1 AND b=2)
  //   a=1 (b=2 OR NOT b=*)                 AND binds tighter than OR; parentheses group
  //
  // `==` means `=`, and `<>` means `!=`. ANY: every row. NONE: no row. Write a derived hash in hex.
  // Conditions on columns need Table::ParseQuery.
  //
  // `now_ms`  the time for `now` and `today`, in milliseconds since 1970; nullopt: the system's clock.
  // Errors: kInvalidArgument naming the offset: a syntax error; an unknown field; a value that the field cannot hold; more
  // than 4096 alternatives; NOT of a byte mask.
  Expected<KeyQuery> ParseQuery(std::string_view text, std::optional<int64_t> now_ms = std::nullopt) const;

  // The set of row keys that match the query. Hash and salt fields are computed if their source fields are known (up to 64
  // combinations of values), so a row with wrong ones is not found. Rows that the schema could not have produced
  // may be in the set if their length and the requested bytes fit.
  // Errors: kInvalidArgument: as ParseQuery; more than 4096 alternatives.
  Expected<std::shared_ptr<const filter::RowSet>> Compile(const KeyQuery& query) const;

  bool operator==(const RowKeySchema& other) const { return fields() == other.fields(); }

 private:
  struct Parts;
  explicit RowKeySchema(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

// docs/keys.md as text: the syntax of schemas and queries.
std::string_view RowKeyHelp();

}  // namespace klip
