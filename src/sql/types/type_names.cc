// Names and numbers of types.
#include <algorithm>
#include <array>

#include "klip/sql.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

struct NamedType {
  std::string_view name;
  Type type;
  int fixed_bytes;  // 0: variable, or given by the declared length
  int jdbc;         // java.sql.Types, or Phoenix's own
};

// In the order of Type.
constexpr std::array<NamedType, 25> kTypes = {{{"NULL", Type::kNull, 0, 0},
                                               {"BOOLEAN", Type::kBoolean, 1, 16},
                                               {"TINYINT", Type::kTinyint, 1, -6},
                                               {"SMALLINT", Type::kSmallint, 2, 5},
                                               {"INTEGER", Type::kInteger, 4, 4},
                                               {"BIGINT", Type::kBigint, 8, -5},
                                               {"UNSIGNED_TINYINT", Type::kUnsignedTinyint, 1, 11},
                                               {"UNSIGNED_SMALLINT", Type::kUnsignedSmallint, 2, 13},
                                               {"UNSIGNED_INT", Type::kUnsignedInt, 4, 9},
                                               {"UNSIGNED_LONG", Type::kUnsignedLong, 8, 10},
                                               {"FLOAT", Type::kFloat, 4, 6},
                                               {"DOUBLE", Type::kDouble, 8, 8},
                                               {"UNSIGNED_FLOAT", Type::kUnsignedFloat, 4, 14},
                                               {"UNSIGNED_DOUBLE", Type::kUnsignedDouble, 8, 15},
                                               {"DECIMAL", Type::kDecimal, 0, 3},
                                               {"CHAR", Type::kChar, 0, 1},
                                               {"VARCHAR", Type::kVarchar, 0, 12},
                                               {"BINARY", Type::kBinary, 0, -2},
                                               {"VARBINARY", Type::kVarbinary, 0, -3},
                                               {"DATE", Type::kDate, 8, 91},
                                               {"TIME", Type::kTime, 8, 92},
                                               {"TIMESTAMP", Type::kTimestamp, 12, 93},
                                               {"UNSIGNED_DATE", Type::kUnsignedDate, 8, 19},
                                               {"UNSIGNED_TIME", Type::kUnsignedTime, 8, 18},
                                               {"UNSIGNED_TIMESTAMP", Type::kUnsignedTimestamp, 12, 20}}};

const NamedType& Named(Type type) { return kTypes[static_cast<size_t>(type)]; }

}  // namespace

int FixedBytes(const DataType& type) {
  if (type.array) {
    return 0;
  }
  return type.type == Type::kChar || type.type == Type::kBinary ? type.max_length : Named(type.type).fixed_bytes;
}

bool IsWhole(Type type) { return type >= Type::kTinyint && type <= Type::kUnsignedLong; }
bool IsNumber(Type type) { return type >= Type::kTinyint && type <= Type::kDecimal; }
bool IsText(Type type) { return type == Type::kChar || type == Type::kVarchar; }
bool IsBytes(Type type) { return type == Type::kBinary || type == Type::kVarbinary; }
bool IsTime(Type type) { return type >= Type::kDate; }
bool IsTimestamp(Type type) { return type == Type::kTimestamp || type == Type::kUnsignedTimestamp; }

std::string_view TypeName(Type type) { return Named(type).name; }

Type TypeOf(std::string_view name) {
  if (name == "INT") {
    return Type::kInteger;
  }
  if (name == "NUMERIC" || name == "DEC") {
    return Type::kDecimal;
  }
  const auto* const found =
      std::find_if(kTypes.begin() + 1, kTypes.end(), [&](const NamedType& type) { return type.name == name; });
  return found == kTypes.end() ? Type::kNull : found->type;
}

int JdbcType(const DataType& type) {
  constexpr int kArrayBase = 3000;
  return type.array ? Named(type.type).jdbc + kArrayBase : Named(type.type).jdbc;
}

std::string ToString(const DataType& type) {
  std::string text(TypeName(type.type));
  if (type.type == Type::kDecimal && type.precision > 0) {
    text += "(" + std::to_string(type.precision) + (type.scale >= 0 ? "," + std::to_string(type.scale) : "") + ")";
  } else if (type.max_length > 0) {
    text += "(" + std::to_string(type.max_length) + ")";
  }
  return text + (type.array ? " ARRAY" : "");
}

Status SqlError(int number, std::string_view sql_state, std::string_view message) {
  return {number == 999 ? Code::kRegionTooBusy : Code::kInvalidArgument,
          "ERROR " + std::to_string(number) + " (" + std::string(sql_state) + "): " + std::string(message)};
}

Error ErrorOf(const Status& status) {
  constexpr std::string_view kPrefix = "ERROR ";
  std::string_view text = status.message();
  Error error;
  if (!text.starts_with(kPrefix)) {
    return error;
  }
  text.remove_prefix(kPrefix.size());
  int number = 0;
  size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at < 6; ++at) {
    number = number * 10 + (text[at] - '0');
  }
  const size_t end = text.find("):", at);
  if (at == 0 || text.substr(at, 2) != " (" || end == std::string_view::npos) {
    return error;
  }
  return {number, std::string(text.substr(at + 2, end - at - 2))};
}

}  // namespace klip::sql
