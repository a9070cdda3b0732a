// Values to Phoenix's bytes and back, in keys and in cells; conversions and comparisons between types. Pure.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "klip/sql_value.h"
#include "klip/status.h"

namespace klip::sql {

// Bytes of a value of this type. 0: variable.
int FixedBytes(const DataType& type);  // of CHAR and BINARY: max_length

bool IsWhole(Type type);      // TINYINT ... UNSIGNED_LONG
bool IsNumber(Type type);     // whole, FLOAT ..., DECIMAL
bool IsText(Type type);       // CHAR, VARCHAR
bool IsBytes(Type type);      // BINARY, VARBINARY
bool IsTime(Type type);       // DATE ... UNSIGNED_TIMESTAMP
bool IsTimestamp(Type type);  // TIMESTAMP, UNSIGNED_TIMESTAMP

// "INTEGER", "UNSIGNED_LONG". TypeOf also takes Phoenix's other names ("INT"). kNull: no such type.
std::string_view TypeName(Type type);
Type TypeOf(std::string_view name);
int JdbcType(const DataType& type);  // java.sql.Types of a result's column: 4 for UNSIGNED_INT
int PhoenixType(
    const DataType& type);  // Phoenix's own number, as in its catalog: 9 for UNSIGNED_INT, 3000 more for arrays

// Appends the bytes of `value` as a cell has them, or a key column in ascending order. A key column's separator is the caller's.
// NULL appends nothing. REQUIRES: value.type() is type.type, as Convert makes it; CHAR is padded here to max_length.
// `descending`: the bytes of a key column in descending order. Arrays of texts, bytes or DECIMALs are not the complement of the others.
void EncodeValue(const Value& value, const DataType& type, std::string* out, bool descending = false);

// Complements the bytes that EncodeValue appended for a column in descending order (BOOLEAN: swaps them). Not for arrays.
void InvertBytes(Type type, char* begin, char* end);

// Errors: kInvalidArgument naming the type: bytes of a wrong length, digits that are none. No bytes: NULL. CHAR: blanks at the end are
// taken off. `descending`: the bytes are inverted.
Expected<Value> DecodeValue(std::string_view bytes, const DataType& type, bool descending = false);

// A whole number, DATE or TIME, without a Value around it. REQUIRES: as many bytes as FixedBytes says.
int64_t DecodeWhole(std::string_view bytes, Type type, bool descending);

// `value` as a value of `type`, as Phoenix converts at UPSERT, CAST and for parameters: numbers are checked for their range, texts
// parsed. `cast`: fractions are rounded half up to a whole number or a DECIMAL's scale. Else they are cut, but that a DECIMAL with a
// fraction is no whole number.
// Errors, with Phoenix's numbers: 203 (22005) type mismatch, or a number outside of the type's range; 206 (22003) more characters,
// bytes or digits than the type has; 201 (22000) a text that cannot be parsed.
Expected<Value> Convert(const Value& value, const DataType& type, bool cast = false);

// Whether a value of `from` may stand where `to` is wanted, without CAST (Phoenix's isCoercibleTo).
bool Coercible(Type from, Type to);

// The type in which values of both are compared, and that of a column that holds both (CASE, COALESCE, UNION ALL); kNull: none.
DataType CommonType(const DataType& a, const DataType& b);

// Orders two values that are not NULL, numbers of any types by their value. REQUIRES: their types are comparable (CommonType).
std::weak_ordering CompareValues(const Value& a, const Value& b);

// --- Decimals as Java's BigDecimal with 38 digits, rounded half up. Errors: 206 (22003) beyond 38 digits before the point.
Expected<Decimal> Add(const Decimal& a, const Decimal& b);
Expected<Decimal> Subtract(const Decimal& a, const Decimal& b);
Expected<Decimal> Multiply(const Decimal& a, const Decimal& b);
Expected<Decimal> Divide(const Decimal& a, const Decimal& b);  // 202 (22012): by zero
Decimal Rescale(const Decimal& value, int scale,
                bool round);               // round: half up; else cut. Unchanged if 38 digits do not do
Decimal Normalized(const Decimal& value);  // as it is stored: no zeros at the end of what comes after the point
Decimal WithoutTrailingZeros(const Decimal& value);
double ToDouble(const Decimal& value);
Expected<Decimal> ToDecimal(double value);

// --- Times: Phoenix's "yyyy-MM-dd HH:mm:ss.SSS" in UTC, and ISO 8601 with prefixes ("2014-06", "2014-06-28T12:30Z").
Expected<Value> ParseTime(std::string_view text, Type type);

// "ERROR 203 (22005): Type mismatch. ..." as Phoenix words it; klip/sql.h's ErrorOf reads it back.
Status SqlError(int number, std::string_view sql_state, std::string_view message);

}  // namespace klip::sql
