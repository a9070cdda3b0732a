// Converts values to Phoenix's bytes and back, in keys and in cells; conversions and comparisons between types. Pure.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "klip/sql_value.h"
#include "klip/status.h"

namespace klip::sql {

// The length of values of this type in bytes. 0: variable.
int FixedBytes(const DataType& type);  // of CHAR and BINARY: max_length

bool IsWhole(Type type);      // TINYINT ... UNSIGNED_LONG
bool IsNumber(Type type);     // whole, FLOAT ..., DECIMAL
bool IsText(Type type);       // CHAR, VARCHAR
bool IsBytes(Type type);      // BINARY, VARBINARY
bool IsTime(Type type);       // DATE ... UNSIGNED_TIMESTAMP
bool IsTimestamp(Type type);  // TIMESTAMP, UNSIGNED_TIMESTAMP

// Whether it allows fewer values than the type without a length, precision and scale.
bool IsLimited(const DataType& type);
// Whether Convert returns the value as it is. False does not mean that it changes it.
bool IsOneOf(const Value& value, const DataType& type);

// "INTEGER", "UNSIGNED_LONG". TypeOf also accepts Phoenix's aliases ("INT"). kNull: no such type.
std::string_view TypeName(Type type);
Type TypeOf(std::string_view name);
int JdbcType(const DataType& type);     // java.sql.Types of a result's column: 4 for UNSIGNED_INT
int PhoenixType(const DataType& type);  // Phoenix's number, as in its catalog: 9 for UNSIGNED_INT, plus 3000 for arrays

// Appends the bytes of `value` for a cell, or for a key column in ascending order. The caller adds a key column's
// separator. NULL appends nothing. REQUIRES: value.type() is type.type, as after Convert; this pads CHAR to max_length.
// `descending`: the bytes of a key column in descending order; for arrays of texts, bytes or DECIMALs they are not the
// complement of the ascending ones.
void EncodeValue(const Value& value, const DataType& type, std::string* out, bool descending = false);

// Complements the bytes that EncodeValue appended, for a column in descending order (BOOLEAN: swaps them). Not for
// arrays.
void InvertBytes(Type type, char* begin, char* end);

// Errors: kInvalidArgument naming the type: wrong length, invalid digits. No bytes: NULL. CHAR: removes trailing blanks.
// `descending`: the bytes are inverted.
Expected<Value> DecodeValue(std::string_view bytes, const DataType& type, bool descending = false);

// A whole number, DATE or TIME, without a Value. REQUIRES: as many bytes as FixedBytes says.
int64_t DecodeWhole(std::string_view bytes, Type type, bool descending);

// Converts `value` to `type`, as Phoenix does for UPSERT, CAST and parameters: checks the range of numbers, parses texts.
// `cast`: rounds fractions half up to a whole number, and ignores a DECIMAL's precision and scale. Otherwise cuts them,
// except that a DECIMAL with a fraction is not a whole number. Errors, with Phoenix's numbers: 203 (22005) type mismatch, or a number outside
// the type's range; 206 (22003) more characters, bytes or digits than the type allows; 201 (22000) a text that cannot be
// parsed.
Expected<Value> Convert(const Value& value, const DataType& type, bool cast = false);

// Whether a value of `from` may be used as `to` without CAST (Phoenix's isCoercibleTo).
bool Coercible(Type from, Type to);

// Whether CAST converts between them (Phoenix's isCastableTo), or the text of a value: Phoenix parses none.
bool Castable(const DataType& from, const DataType& to);

// The type in which values of both are compared; kNull: none.
DataType CommonType(const DataType& a, const DataType& b);

// The type of a column that contains values of both (CASE, UNION ALL): one of the two, as which the other may be used;
// kNull: none.
DataType SharedType(const DataType& a, const DataType& b);

// Compares two non-NULL values, numbers of any types by their value. Those of types that cannot be compared (CommonType) are in an order
// without a meaning.
std::weak_ordering CompareValues(const Value& a, const Value& b);

// As Decimal::Parse, but digits after the 38th round the number: 1e41 for 41 nines.
Expected<Decimal> ParseRounded(std::string_view text);

// --- Decimals like Java's BigDecimal with 38 digits, rounded half up. Errors: 206 (22003) beyond 38 digits before the
// point.
Expected<Decimal> Add(const Decimal& a, const Decimal& b);
Expected<Decimal> Subtract(const Decimal& a, const Decimal& b);
Expected<Decimal> Multiply(const Decimal& a, const Decimal& b);
Expected<Decimal> Divide(const Decimal& a, const Decimal& b);  // 212 (22012): by zero
Decimal Rescale(const Decimal& value, int scale,
                bool round);               // round: half up; else cut. Unchanged if 38 digits are not enough
Decimal Normalized(const Decimal& value);  // as stored: without trailing zeros after the point
Decimal WithoutTrailingZeros(const Decimal& value);
double ToDouble(const Decimal& value);
Expected<Decimal> ToDecimal(double value);

// A CHAR as it is held: without the blanks at its end. Of blanks alone one is left, as that is not NULL; it prints as ''.
std::string_view HeldChar(std::string_view text);
// The same as it prints.
std::string_view PrintedChar(std::string_view held);

// --- Times: Phoenix's "yyyy-MM-dd HH:mm:ss.SSS" in UTC, and ISO 8601 with prefixes ("2014-06", "2014-06-28T12:30Z").
Expected<Value> ParseTime(std::string_view text, Type type);

// "ERROR 203 (22005): Type mismatch. ..." in Phoenix's format; klip/sql.h's ErrorOf parses it.
Status SqlError(int number, std::string_view sql_state, std::string_view message);

}  // namespace klip::sql
