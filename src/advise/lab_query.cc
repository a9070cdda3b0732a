#include "advise/lab_query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <random>

#include "rowkey/key_codec.h"

namespace klip::advise {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The last position of `word` outside of quotes, as a separate word.
size_t FindWord(std::string_view text, std::string_view word) {
  size_t found = std::string_view::npos;
  char quote = 0;
  for (size_t i = 0; i + word.size() <= text.size(); ++i) {
    const char c = text[i];
    if (quote != 0 || c == '\'' || c == '"') {
      quote = quote == 0 ? c : (c == quote ? 0 : quote);
      continue;
    }
    const size_t end = i + word.size();
    if ((i == 0 || text[i - 1] == ' ') && (end == text.size() || text[end] == ' ') &&
        text.substr(i, word.size()) == word) {
      found = i;
    }
  }
  return found;
}

Status LineError(int64_t line, std::string_view what) {
  return Status(Code::kInvalidArgument, "query in line " + std::to_string(line) + ": " + std::string(what));
}

template <typename Number>
bool ParsePositive(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() && *number > 0;
}

Expected<LoggedQuery> ParseLine(std::string_view text, int64_t line) {
  LoggedQuery query;
  if (const size_t blank = text.find_first_of(" \t");
      !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) {
    if (!ParsePositive(text.substr(0, blank), &query.weight) || !std::isfinite(query.weight)) {
      return LineError(line, "the weight is not a positive number");
    }
    text = blank == std::string_view::npos ? std::string_view() : Trim(text.substr(blank));
  }
  if (const size_t at = FindWord(text, "LIMIT"); at != std::string_view::npos) {
    if (!ParsePositive(Trim(text.substr(at + 5)), &query.limit_rows)) {
      return LineError(line, "the limit is not a positive number");
    }
    text = Trim(text.substr(0, at));
  }
  if (const size_t at = FindWord(text, "ORDER BY"); at != std::string_view::npos) {
    query.order_by = std::string(Trim(text.substr(at + 8)));
    text = Trim(text.substr(0, at));
  }
  query.where = text.empty() ? "ANY" : std::string(text);
  return query;
}

Expected<std::vector<LabQuery::Order>> ParseOrder(std::string_view text, const RowKeySchema& schema) {
  std::vector<LabQuery::Order> order;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view name = Trim(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    LabQuery::Order by;
    if (name.ends_with(" desc")) {
      by.descending = true;
      name = Trim(name.substr(0, name.size() - 5));
    }
    by.field = std::string(name);
    if (!schema.FieldIndex(name)) {
      return Status(Code::kInvalidArgument, rowkey::UnknownField(schema.fields(), name));
    }
    order.push_back(std::move(by));
  }
  return order;
}

// The order of the keys, on which a scan with a limit depends.
std::vector<LabQuery::Order> OrderOfKeys(const RowKeySchema& schema, const LabQuery& query) {
  std::vector<LabQuery::Order> order;
  for (const KeyField& field : schema.fields()) {
    if (field.type != KeyFieldType::kLiteral && !query.Fixes(field.name)) {
      order.push_back({.field = field.name, .descending = rowkey::SortsBackwards(field)});
    }
  }
  return order;
}

Expected<LabQuery> Understand(const LoggedQuery& logged, const rowkey::QueryNames& table, const RecordSample* records) {
  const RowKeySchema& schema = *table.schema;
  LabQuery query{.where = {}, .weight = logged.weight, .limit_rows = logged.limit_rows, .order = {}};
  KLIP_ASSIGN_OR_RETURN(query.where, rowkey::ParseQuery(table, logged.where));
  KLIP_ASSIGN_OR_RETURN(query.order, ParseOrder(logged.order_by, schema));
  for (const KeyBox& box : query.where.any_of) {
    for (const auto& [name, match] : box.fields) {
      if (schema.fields()[static_cast<size_t>(*schema.FieldIndex(name))].derived()) {
        return Status(Code::kInvalidArgument,
                      "it names the computed field '" + name + "', which other keys do not have");
      }
    }
    for (const ColumnMatch& column : box.columns) {
      if (records != nullptr && std::ranges::find(records->columns, column.qualifier) == records->columns.end()) {
        return Status(Code::kInvalidArgument,
                      "the sample has no column for " + rowkey::ColumnName(column.family, column.qualifier));
      }
    }
  }
  if (query.order.empty() && query.limit_rows > 0) {
    query.order = OrderOfKeys(schema, query);
  }
  return query;
}

// The same for queries that differ only in their values.
std::string ShapeOf(const LabQuery& query, const RowKeySchema& schema) {
  std::string shape = std::to_string(query.where.any_of.size()) + (query.limit_rows > 0 ? "l" : "");
  for (const KeyField& field : schema.fields()) {
    shape += static_cast<char>('0' + static_cast<int>(query.UseOf(field.name)));
    shape += query.Fixes(field.name) ? "=" : "";
  }
  for (const KeyBox& box : query.where.any_of) {
    for (const ColumnMatch& column : box.columns) {
      shape += " " + column.family + ":" + column.qualifier +
               static_cast<char>('0' + static_cast<int>(UseOfMatch(column.match)));
    }
  }
  for (const LabQuery::Order& by : query.order) {
    shape += "," + by.field;
  }
  return shape;
}

// Draws at most `most` queries in total, some of each shape, with the weight of all of that shape.
std::vector<LabQuery> Draw(std::vector<LabQuery> all, const RowKeySchema& schema, size_t most, uint64_t seed) {
  std::map<std::string, std::vector<LabQuery>> shapes;
  for (LabQuery& query : all) {
    shapes[ShapeOf(query, schema)].push_back(std::move(query));
  }
  const size_t of_each = std::max<size_t>(1, most / std::max<size_t>(1, shapes.size()));
  std::mt19937_64 random(seed);
  std::vector<LabQuery> drawn;
  for (auto& [shape, queries] : shapes) {
    double weight = 0;
    for (const LabQuery& query : queries) {
      weight += query.weight;
    }
    double kept = 0;
    const size_t count = std::min(of_each, queries.size());
    for (size_t i = 0; i < count; ++i) {
      std::swap(queries[i], queries[i + random() % (queries.size() - i)]);
      kept += queries[i].weight;
    }
    for (size_t i = 0; i < count; ++i) {
      queries[i].weight *= weight / kept;
      drawn.push_back(std::move(queries[i]));
    }
  }
  std::sort(drawn.begin(), drawn.end(), [](const LabQuery& a, const LabQuery& b) { return a.index < b.index; });
  return drawn;
}

}  // namespace

FieldUse UseOfMatch(const FieldMatch& match) {
  if (std::holds_alternative<AnyValue>(match)) {
    return FieldUse::kNone;
  }
  if (std::holds_alternative<Between>(match)) {
    return FieldUse::kRange;
  }
  if (std::holds_alternative<ByteMask>(match)) {
    return FieldUse::kBytes;
  }
  const bool prefix = std::holds_alternative<StartsWith>(match) || std::holds_alternative<NotStartsWith>(match);
  return prefix ? FieldUse::kPrefix : FieldUse::kValues;
}

FieldUse LabQuery::UseOf(std::string_view field) const {
  FieldUse use = FieldUse::kNone;
  for (const KeyBox& box : where.any_of) {
    for (const auto& [name, match] : box.fields) {
      use = name == field ? std::max(use, UseOfMatch(match)) : use;
    }
  }
  return use;
}

bool LabQuery::Fixes(std::string_view field) const {
  const Exact* value = nullptr;
  for (const KeyBox& box : where.any_of) {
    const Exact* here = nullptr;
    for (const auto& [name, match] : box.fields) {
      here = name == field && here == nullptr ? std::get_if<Exact>(&match) : here;
    }
    if (here == nullptr || (value != nullptr && !(*value == *here))) {
      return false;
    }
    value = here;
  }
  return value != nullptr;
}

ColumnTypes ColumnsOf(const LabQueries& queries) {
  ColumnTypes columns;
  for (const LabQuery& query : queries.queries) {
    for (const KeyBox& box : query.where.any_of) {
      for (const ColumnMatch& column : box.columns) {
        columns.emplace(std::pair(column.family, column.qualifier),
                        rowkey::CaseOfType(column.type).has_value() ? "" : column.type);
      }
    }
  }
  return columns;
}

LabQueries QueriesFor(const std::vector<LoggedQuery>& logged, const rowkey::QueryNames& table,
                      const RecordSample* records, size_t max_queries, uint64_t seed) {
  LabQueries out;
  std::vector<LabQuery> all;
  for (size_t i = 0; i < logged.size(); ++i) {
    Expected<LabQuery> query = Understand(logged[i], table, records);
    if (query.ok()) {
      query->index = i;
      all.push_back(*std::move(query));
    } else {
      out.left_out.push_back(logged[i].where + ": " + query.status().message());
    }
  }
  out.queries = Draw(std::move(all), *table.schema, max_queries, seed);
  for (LabQuery& query : out.queries) {
    LoggedQuery used = logged[query.index];
    used.weight = query.weight;
    query.index = out.logged.size();
    out.logged.push_back(std::move(used));
  }
  return out;
}

bool KeepsOrder(const RowKeySchema& schema, const LabQuery& query) {
  const std::vector<KeyField>& fields = schema.fields();
  const auto fixed = [&](const KeyField& field) {
    if (field.derived()) {
      return field.type == KeyFieldType::kLiteral ||
             std::all_of(field.source_fields.begin(), field.source_fields.end(),
                         [&](int source) { return query.Fixes(fields[static_cast<size_t>(source)].name); });
    }
    return query.Fixes(field.name);
  };
  std::optional<bool> backwards;
  size_t next = 0;
  for (const LabQuery::Order& by : query.order) {
    if (query.Fixes(by.field)) {
      continue;
    }
    while (next < fields.size() && fields[next].name != by.field && fixed(fields[next])) {
      ++next;
    }
    if (next == fields.size() || fields[next].name != by.field) {
      return false;
    }
    const bool reversed = rowkey::SortsBackwards(fields[next]) != by.descending;
    if (backwards.value_or(reversed) != reversed) {
      return false;
    }
    backwards = reversed;
    ++next;
  }
  return true;
}

}  // namespace klip::advise

namespace klip {

Expected<std::vector<LoggedQuery>> ParseQueryLog(std::string_view text, std::string_view table) {
  std::vector<LoggedQuery> queries;
  std::map<std::string, size_t> known;
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    const size_t tab = line.find('\t');
    if (double weight = 0; tab != std::string_view::npos && !advise::ParsePositive(line.substr(0, tab), &weight)) {
      if (line.substr(0, tab) != table) {
        continue;
      }
      line = line.substr(tab + 1);
    }
    line = advise::Trim(line);
    if (line.empty() || line[0] == '#') {
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(LoggedQuery query, advise::ParseLine(line, number));
    const std::string key = query.where + "\n" + query.order_by + "\n" + std::to_string(query.limit_rows);
    if (const auto [at, is_new] = known.try_emplace(key, queries.size()); !is_new) {
      queries[at->second].weight += query.weight;
    } else {
      queries.push_back(std::move(query));
    }
  }
  return queries;
}

}  // namespace klip
