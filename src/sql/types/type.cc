#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "klip/sql.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

struct TypeEntry {
  std::string_view name;
  int sql_type;     // Phoenix's type number
  int result_type;  // java.sql.Types of a result's column
  int bytes;        // 0: variable, or declared by the column
};

// In the order of Type.
constexpr std::array<TypeEntry, 25> kTypes = {{{"NULL", 0, 0, 0},
                                               {"BOOLEAN", 16, 16, 1},
                                               {"TINYINT", -6, -6, 1},
                                               {"SMALLINT", 5, 5, 2},
                                               {"INTEGER", 4, 4, 4},
                                               {"BIGINT", -5, -5, 8},
                                               {"UNSIGNED_TINYINT", 11, -6, 1},
                                               {"UNSIGNED_SMALLINT", 13, 5, 2},
                                               {"UNSIGNED_INT", 9, 4, 4},
                                               {"UNSIGNED_LONG", 10, -5, 8},
                                               {"FLOAT", 6, 6, 4},
                                               {"DOUBLE", 8, 8, 8},
                                               {"UNSIGNED_FLOAT", 14, 6, 4},
                                               {"UNSIGNED_DOUBLE", 15, 8, 8},
                                               {"DECIMAL", 3, 3, 0},
                                               {"CHAR", 1, 1, 0},
                                               {"VARCHAR", 12, 12, 0},
                                               {"BINARY", -2, -2, 0},
                                               {"VARBINARY", -3, -3, 0},
                                               {"DATE", 91, 91, 8},
                                               {"TIME", 92, 92, 8},
                                               {"TIMESTAMP", 93, 93, 12},
                                               {"UNSIGNED_DATE", 19, 91, 8},
                                               {"UNSIGNED_TIME", 18, 92, 8},
                                               {"UNSIGNED_TIMESTAMP", 20, 93, 12}}};

const TypeEntry& EntryOf(Type type) { return kTypes[static_cast<size_t>(type)]; }

using TypeSet = uint32_t;
constexpr TypeSet Of(Type type) { return TypeSet{1} << static_cast<int>(type); }

// The types that each may be used as without CAST, including itself; each set includes those of the types before it.
struct CoercibleSets {
  std::array<TypeSet, kTypes.size()> to = {};

  constexpr CoercibleSets() {
    constexpr TypeSet kBytes = Of(Type::kBinary) | Of(Type::kVarbinary);
    auto set = [this](Type type, TypeSet types) { to[static_cast<size_t>(type)] = Of(type) | types; };
    auto get = [this](Type type) { return to[static_cast<size_t>(type)]; };
    set(Type::kNull, ~TypeSet{0});
    set(Type::kBoolean, kBytes);
    set(Type::kDecimal, Of(Type::kVarbinary));
    set(Type::kDouble, Of(Type::kDecimal) | kBytes);
    set(Type::kFloat, get(Type::kDouble));
    set(Type::kUnsignedDouble, get(Type::kDouble));
    set(Type::kUnsignedFloat, get(Type::kUnsignedDouble) | get(Type::kFloat));
    set(Type::kBigint, Of(Type::kDecimal) | Of(Type::kDouble) | kBytes);
    set(Type::kInteger, Of(Type::kFloat) | get(Type::kBigint));
    set(Type::kSmallint, get(Type::kInteger));
    set(Type::kTinyint, get(Type::kSmallint));
    set(Type::kUnsignedLong, Of(Type::kUnsignedDouble) | get(Type::kBigint));
    set(Type::kUnsignedInt, Of(Type::kUnsignedFloat) | get(Type::kUnsignedLong) | get(Type::kInteger));
    set(Type::kUnsignedSmallint, get(Type::kUnsignedInt) | get(Type::kSmallint));
    set(Type::kUnsignedTinyint, get(Type::kUnsignedSmallint) | get(Type::kTinyint));
    set(Type::kChar, Of(Type::kVarchar) | kBytes);
    set(Type::kVarchar, Of(Type::kChar) | kBytes);
    set(Type::kBinary, kBytes);
    set(Type::kVarbinary, kBytes);
    set(Type::kDate, Of(Type::kTime) | Of(Type::kTimestamp) | kBytes);
    set(Type::kTime, get(Type::kDate));
    set(Type::kTimestamp, kBytes);
    set(Type::kUnsignedDate, Of(Type::kUnsignedTime) | Of(Type::kUnsignedTimestamp) | get(Type::kDate));
    set(Type::kUnsignedTime, get(Type::kUnsignedDate));
    set(Type::kUnsignedTimestamp, get(Type::kUnsignedDate));
  }
};

constexpr CoercibleSets kCoercible;

}  // namespace

int FixedBytes(const DataType& type) {
  bool by_column = type.type == Type::kChar || type.type == Type::kBinary;
  return type.array ? 0 : by_column ? type.max_length : EntryOf(type.type).bytes;
}

bool IsLimited(const DataType& type) { return type.max_length > 0 || type.precision > 0 || type.scale >= 0; }

bool IsWhole(Type type) { return type >= Type::kTinyint && type <= Type::kUnsignedLong; }
bool IsNumber(Type type) { return type >= Type::kTinyint && type <= Type::kDecimal; }
bool IsText(Type type) { return type == Type::kChar || type == Type::kVarchar; }
bool IsBytes(Type type) { return type == Type::kBinary || type == Type::kVarbinary; }
bool IsTime(Type type) { return type >= Type::kDate; }
bool IsTimestamp(Type type) { return type == Type::kTimestamp || type == Type::kUnsignedTimestamp; }

std::string_view TypeName(Type type) { return EntryOf(type).name; }

Type TypeOf(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  for (size_t i = 1; i < kTypes.size(); i++) {
    if (kTypes[i].name == upper) {
      return static_cast<Type>(i);
    }
  }
  return upper == "INT" ? Type::kInteger : Type::kNull;
}

int PhoenixType(const DataType& type) { return EntryOf(type.type).sql_type + (type.array ? 3000 : 0); }
int JdbcType(const DataType& type) { return type.array ? 2003 : EntryOf(type.type).result_type; }

std::string ToString(const DataType& type) {
  std::string text(TypeName(type.type));
  if (type.type == Type::kDecimal && type.precision > 0) {
    text += "(" + std::to_string(type.precision);
    text += (type.scale >= 0 ? "," + std::to_string(type.scale) : "") + ")";
  } else if (type.max_length > 0) {
    text += "(" + std::to_string(type.max_length) + ")";
  }
  return type.array ? text + " ARRAY" : text;
}

bool Coercible(Type from, Type to) { return (kCoercible.to[static_cast<size_t>(from)] & Of(to)) != 0; }

bool Castable(const DataType& from, const DataType& to) {
  const Type a = from.type;
  const Type b = to.type;
  if (a == Type::kNull || b == Type::kNull || from.array || to.array) {
    return a == Type::kNull || b == Type::kNull || from.array == to.array;
  }
  if (IsWhole(a)) {
    const bool time = IsTime(b) && (a == Type::kBigint || a == Type::kUnsignedLong);
    return IsNumber(b) || time || b == Type::kVarbinary;
  }
  const bool from_time = IsTime(a) && (b == Type::kBigint || b == Type::kUnsignedLong || b == Type::kDecimal);
  const bool from_timestamp = IsTimestamp(a) && IsWhole(b);
  const bool boolean = (a == Type::kBoolean && b == Type::kDecimal) || (a == Type::kDecimal && b == Type::kBoolean);
  const bool parsed = IsText(a) && !IsBytes(b);
  return Coercible(a, b) || Coercible(b, a) || from_time || from_timestamp || boolean || parsed ||
         (a == Type::kDecimal && (IsNumber(b) || b == Type::kTimestamp));
}

DataType CommonType(const DataType& a, const DataType& b) {
  if (a.type == Type::kNull || b.type == Type::kNull) {
    const DataType& null = a.type == Type::kNull ? a : b;
    const DataType& other = a.type == Type::kNull ? b : a;
    return null.array && !other.array ? DataType() : other;  // ARRAY[NULL] is an array of anything
  }
  DataType common = a;
  if (a.array != b.array) {
    return {};
  }
  if (Coercible(b.type, a.type) && !(a.type == Type::kChar && b.type == Type::kVarchar)) {
    common = a;
  } else if (Coercible(a.type, b.type)) {
    common = b;
  } else if (IsNumber(a.type) && IsNumber(b.type)) {
    common = {.type = Type::kDecimal, .array = a.array};
  } else {
    return {};
  }
  if (a.type == b.type || (IsText(a.type) && IsText(b.type))) {
    common.max_length = a.max_length == 0 || b.max_length == 0 ? 0 : std::max(a.max_length, b.max_length);
    common.precision = a.precision == 0 || b.precision == 0 ? 0 : std::max(a.precision, b.precision);
    common.scale = a.scale < 0 || b.scale < 0 ? -1 : std::max(a.scale, b.scale);
  } else if (common.type == Type::kDecimal) {
    common.precision = 0;
    common.scale = -1;
  } else if (IsBytes(common.type)) {
    common = {.type = Type::kVarbinary, .array = common.array};
  }
  return common;
}

DataType SharedType(const DataType& a, const DataType& b) {
  const bool one =
      a.type == Type::kNull || b.type == Type::kNull || Coercible(a.type, b.type) || Coercible(b.type, a.type);
  return one ? CommonType(a, b) : DataType();
}

Status SqlError(int number, std::string_view sql_state, std::string_view message) {
  return {Code::kInvalidArgument,
          "ERROR " + std::to_string(number) + " (" + std::string(sql_state) + "): " + std::string(message)};
}

Error ErrorOf(const Status& status) {
  constexpr std::string_view kStart = "ERROR ";
  std::string_view text = status.message();
  Error error;
  if (!text.starts_with(kStart)) {
    return {};
  }
  text.remove_prefix(kStart.size());
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), error.number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (failed != std::errc() || text.size() < 9 || !text.starts_with(" (") || text.substr(7, 2) != "):") {
    return {};
  }
  error.sql_state = text.substr(2, 5);
  return error;
}

}  // namespace klip::sql
