#include "capi/requests.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "capi/call.h"
#include "klip/bytes.h"

namespace klip::capi {
namespace {

using base::Invalid;

// The size of a struct in the first version of klip.h.
template <typename T>
constexpr size_t kFirstSize = sizeof(T);
template <>
constexpr size_t kFirstSize<klip_get> = offsetof(klip_get, consistency);
template <>
constexpr size_t kFirstSize<klip_scan> = offsetof(klip_scan, consistency);
template <>
constexpr size_t kFirstSize<klip_sql_options> = offsetof(klip_sql_options, tenant);

// The caller's struct, with defaults for the fields that its version of klip.h lacks.
template <typename T>
Status Fit(const T* given, std::string_view name, T* fitted) {
  if (given == nullptr) {
    return Missing(name);
  }
  if (given->struct_size < kFirstSize<T> || given->struct_size > sizeof(T)) {
    return Invalid(std::string(name) + ": struct_size is " + std::to_string(given->struct_size) +
                   ", which no klip.h up to this library's version has; make it by " + std::string(name) + "_default");
  }
  std::memcpy(fitted, given, given->struct_size);
  return Status::Ok();
}

template <typename T>
const T* Element(const T* array, size_t index) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(array) + index * array->struct_size);
}

template <typename T>
Status CheckArray(const T* array, size_t count, std::string_view field) {
  return array == nullptr && count > 0 ? Missing(field) : Status::Ok();
}

Expected<std::string> ToString(klip_bytes bytes, std::string_view field) {
  KLIP_RETURN_IF_ERROR(CheckBytes(bytes, field));
  return std::string(View(bytes));
}

Expected<FilterPtr> ToFilter(klip_bytes text) {
  KLIP_RETURN_IF_ERROR(CheckBytes(text, "filter"));
  if (text.size == 0) {
    return FilterPtr();
  }
  return ParseFilter(View(text), FilterNames::kAll);
}

Expected<Durability> ToDurability(int32_t number) {
  if (number < KLIP_USE_DEFAULT || number > KLIP_FSYNC_WAL) {
    return Invalid("durability: " + std::to_string(number) + " is not a valid value");
  }
  return static_cast<Durability>(number);
}

TimeRange ToTimeRange(klip_time_range range) { return {range.min_ms, range.max_ms}; }

// Shared by klip_get and klip_scan.
template <typename From, typename Request>
Status ReadCommon(const From& from, Request* request) {
  KLIP_RETURN_IF_ERROR(CheckArray(from.columns, from.column_count, "columns"));
  for (size_t i = 0; i < from.column_count; ++i) {
    const klip_column& column = from.columns[i];
    ColumnSpec spec;
    KLIP_ASSIGN_OR_RETURN(spec.family, ToString(column.family, "columns: family"));
    if (column.whole_family == 0) {
      KLIP_ASSIGN_OR_RETURN(spec.qualifier, ToString(column.qualifier, "columns: qualifier"));
    }
    request->columns.push_back(std::move(spec));
  }
  request->time_range = ToTimeRange(from.time_range);
  KLIP_RETURN_IF_ERROR(CheckArray(from.family_time_ranges, from.family_time_range_count, "family_time_ranges"));
  for (size_t i = 0; i < from.family_time_range_count; ++i) {
    const klip_family_time_range& one = from.family_time_ranges[i];
    KLIP_ASSIGN_OR_RETURN(std::string family, ToString(one.family, "family_time_ranges: family"));
    request->family_time_ranges[std::move(family)] = ToTimeRange(one.range);
  }
  request->max_versions = from.max_versions;
  request->max_results_per_family = from.max_results_per_family;
  request->row_offset_per_family = from.row_offset_per_family;
  request->cache_blocks = from.cache_blocks != 0;
  if (from.consistency != KLIP_STRONG && from.consistency != KLIP_TIMELINE) {
    return Invalid("consistency: " + std::to_string(from.consistency) + " is not a valid value");
  }
  request->consistency = static_cast<Consistency>(from.consistency);
  request->replica_id = from.replica_id;
  KLIP_ASSIGN_OR_RETURN(request->filter, ToFilter(from.filter));
  return Status::Ok();
}

// Fields shared by puts, increments and appends.
template <typename Column>
Status ReadChange(const klip_change& change, Column* column) {
  KLIP_ASSIGN_OR_RETURN(column->family, ToString(change.family, "changes: family"));
  KLIP_ASSIGN_OR_RETURN(column->qualifier, ToString(change.qualifier, "changes: qualifier"));
  column->timestamp_ms = change.timestamp_ms;
  return Status::Ok();
}

Expected<std::vector<Put::Column>> ColumnsOf(const klip_change* changes, size_t count) {
  std::vector<Put::Column> columns(count);
  for (size_t i = 0; i < count; ++i) {
    KLIP_RETURN_IF_ERROR(ReadChange(changes[i], &columns[i]));
    KLIP_ASSIGN_OR_RETURN(columns[i].value, ToString(changes[i].value, "changes: value"));
  }
  return columns;
}

Expected<Put> PutOf(const klip_mutation& from) {
  Put put;
  put.row = View(from.row);
  put.timestamp_ms = from.timestamp_ms;
  put.ttl_ms = from.ttl_ms;
  KLIP_ASSIGN_OR_RETURN(put.columns, ColumnsOf(from.changes, from.change_count));
  return put;
}

Expected<Delete> DeleteOf(const klip_mutation& from) {
  Delete del;
  del.row = View(from.row);
  del.timestamp_ms = from.timestamp_ms;
  for (size_t i = 0; i < from.change_count; ++i) {
    const klip_change& change = from.changes[i];
    Delete::Marker marker;
    KLIP_RETURN_IF_ERROR(ReadChange(change, &marker));
    if (marker.timestamp_ms == kLatestTimestamp) {
      marker.timestamp_ms = from.timestamp_ms;
    }
    switch (change.type) {
      case 0:
      case KLIP_CELL_DELETE_COLUMN:
        marker.type = CellType::kDeleteColumn;
        break;
      case KLIP_CELL_DELETE:
      case KLIP_CELL_DELETE_FAMILY:
      case KLIP_CELL_DELETE_FAMILY_VERSION:
        marker.type = static_cast<CellType>(change.type);
        break;
      default:
        return Invalid("changes: type: " + std::to_string(change.type) + " is no delete");
    }
    del.markers.push_back(std::move(marker));
  }
  return del;
}

// An increment or append.
template <typename Change>
Expected<Change> ReadModifyWriteOf(const klip_mutation& from) {
  Change out;
  out.row = View(from.row);
  out.time_range = ToTimeRange(from.time_range);
  out.ttl_ms = from.ttl_ms;
  out.return_results = from.return_results != 0;
  out.columns.resize(from.change_count);
  for (size_t i = 0; i < from.change_count; ++i) {
    KLIP_RETURN_IF_ERROR(ReadChange(from.changes[i], &out.columns[i]));
    if (out.columns[i].timestamp_ms == kLatestTimestamp) {
      out.columns[i].timestamp_ms = from.timestamp_ms;
    }
    if constexpr (std::is_same_v<Change, Increment>) {
      out.columns[i].amount = from.changes[i].amount;
    } else {
      KLIP_ASSIGN_OR_RETURN(out.columns[i].value, ToString(from.changes[i].value, "changes: value"));
    }
  }
  return out;
}

// Any kind of mutation as a variant.
template <typename T>
Expected<Mutation> AsMutation(Expected<T> made, Durability durability) {
  if (!made.ok()) {
    return made.status();
  }
  made->durability = durability;
  return Mutation(*std::move(made));
}

}  // namespace

Expected<std::vector<ArrowColumn>> ToArrowColumns(const klip_arrow_column* columns, size_t count) {
  if (columns == nullptr && count > 0) {
    return Missing("columns");
  }
  std::vector<ArrowColumn> out;
  for (size_t i = 0; i < count; ++i) {
    ArrowColumn column;
    KLIP_ASSIGN_OR_RETURN(column.family, ToString(columns[i].family, "columns.family"));
    KLIP_ASSIGN_OR_RETURN(column.qualifier, ToString(columns[i].qualifier, "columns.qualifier"));
    column.type = columns[i].type == nullptr ? column.type : columns[i].type;
    column.name = columns[i].name == nullptr ? "" : columns[i].name;
    out.push_back(std::move(column));
  }
  return out;
}

Expected<ArrowOptions> ToArrowOptions(const klip_arrow_options* options) {
  klip_arrow_options given = klip_arrow_options_default();
  if (options != nullptr) {
    KLIP_RETURN_IF_ERROR(Fit(options, "klip_arrow_options", &given));
  }
  ArrowOptions out = {.columns = {},
                      .key_fields = given.key_fields != 0,
                      .all_cells = given.all_cells != 0,
                      .batch_rows = given.batch_rows};
  KLIP_ASSIGN_OR_RETURN(out.columns, ToArrowColumns(given.columns, given.column_count));
  return out;
}

Expected<klip_sql_options> ToSqlOptions(const klip_sql_options* options) {
  klip_sql_options given = klip_sql_options_default();
  if (options != nullptr) {
    KLIP_RETURN_IF_ERROR(Fit(options, "klip_sql_options", &given));
  }
  return given.threads < 0 ? Invalid("threads: " + std::to_string(given.threads) + " is below 0")
                           : Expected<klip_sql_options>(given);
}

namespace {

Expected<sql::Value> ToValue(const klip_value& value, size_t index) {
  const std::string field = "values[" + std::to_string(index) + "]";
  KLIP_RETURN_IF_ERROR(CheckBytes(value.bytes, field));
  std::string bytes(View(value.bytes));
  switch (value.type) {
    case KLIP_VALUE_NULL:
      return sql::Value();
    case KLIP_VALUE_BOOLEAN:
      return sql::Value::Boolean(value.integer != 0);
    case KLIP_VALUE_INTEGER:
      return sql::Value::Integer(value.integer);
    case KLIP_VALUE_REAL:
      return sql::Value::Double(value.real);
    case KLIP_VALUE_DECIMAL: {
      Expected<sql::Decimal> number = sql::Decimal::Parse(bytes);
      return number.ok() ? Expected(sql::Value::Number(*number)) : Invalid(field + ": " + number.status().message());
    }
    case KLIP_VALUE_TEXT:
      return sql::Value::Text(std::move(bytes));
    case KLIP_VALUE_BYTES:
      return sql::Value::Bytes(std::move(bytes));
    case KLIP_VALUE_DATE:
      return sql::Value(sql::Type::kDate, value.integer);
    case KLIP_VALUE_TIME:
      return sql::Value(sql::Type::kTime, value.integer);
    case KLIP_VALUE_TIMESTAMP:
      if (value.nanos < 0 || value.nanos > 999'999) {
        return Invalid(field + ": " + std::to_string(value.nanos) + " nanoseconds are not below a millisecond");
      }
      return sql::Value(sql::Type::kTimestamp, sql::Value::Timestamp{value.integer, value.nanos});
    case KLIP_VALUE_ARRAY:
      return Invalid(field + ": an array cannot be a parameter");
    default:
      return Invalid(field + ": type " + std::to_string(value.type) + " is not a valid value");
  }
}

}  // namespace

Expected<std::vector<sql::Value>> ToValues(const klip_value* values, size_t count) {
  if (values == nullptr && count > 0) {
    return Missing("values");
  }
  std::vector<sql::Value> out;
  for (size_t i = 0; i < count; ++i) {
    KLIP_ASSIGN_OR_RETURN(sql::Value value, ToValue(values[i], i));
    out.push_back(std::move(value));
  }
  return out;
}

Status CheckBytes(klip_bytes bytes, std::string_view field) {
  return bytes.data == nullptr && bytes.size > 0 ? Missing(field) : Status::Ok();
}

Expected<ConnectionOptions> ToOptions(const klip_options* options) {
  klip_options from = klip_options_default();
  if (options != nullptr) {
    KLIP_RETURN_IF_ERROR(Fit(options, "klip_options", &from));
  }
  ConnectionOptions out;
  out.create_if_missing = from.create_if_missing != 0;
  out.sync_wal = from.sync_wal != 0;
  out.block_cache_bytes = from.block_cache_bytes;
  out.memtable_bytes = from.memtable_bytes;
  out.max_cell_bytes = from.max_cell_bytes;
  out.max_row_read_bytes = from.max_row_read_bytes;
  out.table_sanity_checks = from.table_sanity_checks != 0;
  out.rpc_timeout_ms = from.rpc_timeout_ms;
  out.operation_timeout_ms = from.operation_timeout_ms;
  return out;
}

Expected<Get> ToGet(const klip_get* get) {
  klip_get from = klip_get_default({nullptr, 0});
  KLIP_RETURN_IF_ERROR(Fit(get, "klip_get", &from));
  Get out;
  KLIP_ASSIGN_OR_RETURN(out.row, ToString(from.row, "row"));
  KLIP_RETURN_IF_ERROR(ReadCommon(from, &out));
  out.check_existence_only = from.existence_only != 0;
  return out;
}

Expected<std::vector<Get>> ToGets(const klip_get* gets, size_t count) {
  KLIP_RETURN_IF_ERROR(CheckArray(gets, count, "gets"));
  std::vector<Get> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    KLIP_ASSIGN_OR_RETURN(Get get, ToGet(Element(gets, i)));
    out.push_back(std::move(get));
  }
  return out;
}

Expected<CancelToken> ToToken(const klip_scan* scan) {
  klip_scan from = klip_scan_default();
  if (scan != nullptr) {
    KLIP_RETURN_IF_ERROR(Fit(scan, "klip_scan", &from));
  }
  if (from.interrupted == nullptr) {
    return CancelToken::New();
  }
  return CancelToken::Asking(
      [asked = from.interrupted, argument = from.interrupted_argument] { return asked(argument) != 0; });
}

Expected<Scan> ToScan(const klip_scan* scan, const Table& table) {
  klip_scan from = klip_scan_default();
  if (scan != nullptr) {
    KLIP_RETURN_IF_ERROR(Fit(scan, "klip_scan", &from));
  }
  Scan out;
  KLIP_ASSIGN_OR_RETURN(out.start_row, ToString(from.start_row, "start_row"));
  KLIP_ASSIGN_OR_RETURN(out.stop_row, ToString(from.stop_row, "stop_row"));
  out.include_start = from.include_start != 0;
  out.include_stop = from.include_stop != 0;
  out.reversed = from.reversed != 0;
  if (from.prefix.size > 0) {
    KLIP_ASSIGN_OR_RETURN(const std::string prefix, ToString(from.prefix, "prefix"));
    if (!out.start_row.empty() || !out.stop_row.empty()) {
      return Invalid("prefix cannot be combined with start_row and stop_row");
    }
    if (out.reversed) {
      out.start_row = PrefixSuccessor(prefix);
      out.include_start = false;
      out.stop_row = prefix;
      out.include_stop = true;
    } else {
      out = Scan::Prefix(prefix);
    }
  }
  KLIP_RETURN_IF_ERROR(ReadCommon(from, &out));
  out.limit_rows = from.limit_rows;
  out.batch = from.batch;
  out.max_result_bytes = from.max_result_bytes;
  out.allow_partial_results = from.allow_partial_results != 0;
  out.raw = from.raw != 0;
  out.threads = from.threads;
  if (from.where.size > 0) {
    KLIP_ASSIGN_OR_RETURN(const std::string where, ToString(from.where, "where"));
    KLIP_ASSIGN_OR_RETURN(out.where, table.ParseQuery(where));
  }
  return out;
}

Expected<Mutation> ToMutation(const klip_mutation* mutation) {
  klip_mutation from = klip_mutation_default(KLIP_PUT, {nullptr, 0});
  KLIP_RETURN_IF_ERROR(Fit(mutation, "klip_mutation", &from));
  KLIP_RETURN_IF_ERROR(CheckBytes(from.row, "row"));
  KLIP_RETURN_IF_ERROR(CheckArray(from.changes, from.change_count, "changes"));
  KLIP_ASSIGN_OR_RETURN(const Durability durability, ToDurability(from.durability));
  switch (from.kind) {
    case KLIP_PUT:
      return AsMutation(PutOf(from), durability);
    case KLIP_DELETE:
      return AsMutation(DeleteOf(from), durability);
    case KLIP_INCREMENT:
      return AsMutation(ReadModifyWriteOf<Increment>(from), durability);
    case KLIP_APPEND:
      return AsMutation(ReadModifyWriteOf<Append>(from), durability);
    default:
      return Invalid("kind: " + std::to_string(from.kind) + " is no mutation");
  }
}

Expected<std::vector<Put>> ToPuts(const klip_mutation* puts, size_t count) {
  KLIP_RETURN_IF_ERROR(CheckArray(puts, count, "puts"));
  std::vector<Put> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    KLIP_ASSIGN_OR_RETURN(Mutation mutation, ToMutation(Element(puts, i)));
    if (!std::holds_alternative<Put>(mutation)) {
      return Invalid("puts[" + std::to_string(i) + "]: kind is not KLIP_PUT");
    }
    out.push_back(std::move(std::get<Put>(mutation)));
  }
  return out;
}

Expected<RowMutations> ToRowMutations(const klip_mutation* mutations, size_t count) {
  KLIP_RETURN_IF_ERROR(CheckArray(mutations, count, "mutations"));
  RowMutations out;
  for (size_t i = 0; i < count; ++i) {
    KLIP_ASSIGN_OR_RETURN(Mutation mutation, ToMutation(Element(mutations, i)));
    if (i == 0) {
      out.row = std::visit([](const auto& one) { return one.row; }, mutation);
    }
    out.mutations.push_back(std::move(mutation));
  }
  return out;
}

Expected<RowCondition> ToCondition(const klip_condition* condition) {
  klip_condition from = klip_condition_default({nullptr, 0}, {nullptr, 0}, {nullptr, 0});
  KLIP_RETURN_IF_ERROR(Fit(condition, "klip_condition", &from));
  if (from.op < KLIP_LESS || from.op > KLIP_GREATER) {
    return Invalid("op: " + std::to_string(from.op) + " is not a valid value");
  }
  RowCondition out;
  KLIP_ASSIGN_OR_RETURN(out.family, ToString(from.family, "condition: family"));
  KLIP_ASSIGN_OR_RETURN(out.qualifier, ToString(from.qualifier, "condition: qualifier"));
  out.op = static_cast<CompareOp>(from.op);
  KLIP_ASSIGN_OR_RETURN(out.value, ToString(from.value, "condition: value"));
  KLIP_ASSIGN_OR_RETURN(out.filter, ToFilter(from.filter));
  out.time_range = ToTimeRange(from.time_range);
  return out;
}

Expected<CheckAndMutate> ToCheckAndMutate(klip_bytes row, const klip_condition* condition,
                                          const klip_mutation* mutations, size_t count) {
  CheckAndMutate out;
  KLIP_ASSIGN_OR_RETURN(out.row, ToString(row, "row"));
  KLIP_ASSIGN_OR_RETURN(out.condition, ToCondition(condition));
  if (count == 1) {
    KLIP_ASSIGN_OR_RETURN(Mutation mutation, ToMutation(mutations));
    std::visit([&out](auto& one) { out.action = std::move(one); }, mutation);
  } else {
    KLIP_ASSIGN_OR_RETURN(out.action, ToRowMutations(mutations, count));
  }
  return out;
}

Expected<Action> ToAction(const klip_action& action) {
  if (action.get != nullptr) {
    if (action.mutation_count > 0 || action.condition != nullptr) {
      return Invalid("an action is either a get or mutations");
    }
    KLIP_ASSIGN_OR_RETURN(Get get, ToGet(action.get));
    return Action(std::move(get));
  }
  if (action.condition != nullptr) {
    KLIP_ASSIGN_OR_RETURN(CheckAndMutate check,
                          ToCheckAndMutate(action.row, action.condition, action.mutations, action.mutation_count));
    return Action(std::move(check));
  }
  if (action.mutation_count == 1) {
    KLIP_ASSIGN_OR_RETURN(Mutation mutation, ToMutation(action.mutations));
    return std::visit([](auto& one) { return Action(std::move(one)); }, mutation);
  }
  KLIP_ASSIGN_OR_RETURN(RowMutations mutations, ToRowMutations(action.mutations, action.mutation_count));
  return Action(std::move(mutations));
}

Expected<Prepend> ToPrepend(const klip_prepend* prepend) {
  klip_prepend from = klip_prepend_default({nullptr, 0}, {nullptr, 0});
  KLIP_RETURN_IF_ERROR(Fit(prepend, "klip_prepend", &from));
  KLIP_RETURN_IF_ERROR(CheckArray(from.columns, from.column_count, "columns"));
  Prepend out;
  out.last_key = from.last_key;
  KLIP_ASSIGN_OR_RETURN(out.family, ToString(from.family, "family"));
  KLIP_ASSIGN_OR_RETURN(out.qualifier, ToString(from.qualifier, "qualifier"));
  KLIP_ASSIGN_OR_RETURN(out.columns, ColumnsOf(from.columns, from.column_count));
  KLIP_ASSIGN_OR_RETURN(out.durability, ToDurability(from.durability));
  return out;
}

Expected<AtomicBatch> ToAtomicBatch(const klip_step* steps, size_t count, int32_t durability) {
  KLIP_RETURN_IF_ERROR(CheckArray(steps, count, "steps"));
  AtomicBatch out;
  KLIP_ASSIGN_OR_RETURN(out.durability, ToDurability(durability));
  for (size_t i = 0; i < count; ++i) {
    const klip_step& step = steps[i];
    KLIP_ASSIGN_OR_RETURN(std::string table, ToString(step.table, "steps: table"));
    if ((step.mutation == nullptr) == (step.condition == nullptr)) {
      return Invalid("steps[" + std::to_string(i) + "] is either a mutation or a condition");
    }
    if (step.mutation != nullptr) {
      KLIP_ASSIGN_OR_RETURN(Mutation mutation, ToMutation(step.mutation));
      out.steps.push_back({std::move(table), std::move(mutation)});
    } else {
      KLIP_ASSIGN_OR_RETURN(std::string row, ToString(step.row, "steps: row"));
      KLIP_ASSIGN_OR_RETURN(RowCondition condition, ToCondition(step.condition));
      out.conditions.push_back({std::move(table), std::move(row), std::move(condition)});
    }
  }
  return out;
}

}  // namespace klip::capi
