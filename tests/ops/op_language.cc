#include "ops/op_language.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>
#include <variant>

#include "klip/bytes.h"
#include "ops/filter_text.h"

namespace klip::ops {

Status Syntax(std::string_view what) { return {Code::kInvalidArgument, std::string(kSyntaxError) + std::string(what)}; }
namespace {

using Words = std::span<const std::string>;

constexpr std::array<std::string_view, 26> kOptions = {
    "ts",   "ttl",      "durability",  "time",    "versions",   "per-family", "offset",   "filter", "start",
    "stop", "limit",    "start-after", "stop-at", "prefix",     "batch",      "partial",  "where",  "threads",
    "last", "reversed", "raw",         "count",   "no-results", "existence",  "no-cache", "force"};

Expected<TimeRange> ParseTimeRange(std::string_view text) {
  size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    KLIP_ASSIGN_OR_RETURN(int64_t at, ParseNumber(text));
    return TimeRange::At(at);
  }
  TimeRange range;
  if (dots > 0) {
    KLIP_ASSIGN_OR_RETURN(range.min_ms, ParseNumber(text.substr(0, dots)));
  }
  if (dots + 2 < text.size()) {
    KLIP_ASSIGN_OR_RETURN(range.max_ms, ParseNumber(text.substr(dots + 2)));
  }
  return range;
}

Expected<Durability> ParseDurability(const Arguments& arguments) {
  static constexpr std::string_view kNames[] = {"default", "skip", "async", "sync", "fsync"};
  std::string text = arguments.Text("durability", "default");
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) {
      return static_cast<Durability>(i);
    }
  }
  return Syntax("durability " + text);
}

// The options that Get and Scan share.
template <typename Read>
Status ReadOptions(const Arguments& arguments, Read* read) {
  for (const auto& [name, text] : arguments.options) {
    if (name == "time") {
      KLIP_ASSIGN_OR_RETURN(read->time_range, ParseTimeRange(text));
    } else if (name.starts_with("time:")) {
      KLIP_ASSIGN_OR_RETURN(read->family_time_ranges[name.substr(5)], ParseTimeRange(text));
    } else if (name == "filter") {
      KLIP_ASSIGN_OR_RETURN(read->filter, ParseFilterText(text));
    } else if (name == "versions" && text == "all") {
      read->max_versions = kAllVersions;
    }
  }
  if (arguments.Text("versions") != "all") {
    KLIP_ASSIGN_OR_RETURN(int64_t versions, arguments.Number("versions", 1));
    read->max_versions = static_cast<int32_t>(versions);
  }
  KLIP_ASSIGN_OR_RETURN(int64_t per_family, arguments.Number("per-family", -1));
  KLIP_ASSIGN_OR_RETURN(int64_t offset, arguments.Number("offset", 0));
  read->max_results_per_family = static_cast<int32_t>(per_family);
  read->row_offset_per_family = static_cast<int32_t>(offset);
  read->cache_blocks = !arguments.Has("no-cache");
  return {};
}

Status ReadColumns(Words words, std::vector<ColumnSpec>* columns) {
  for (const std::string& word : words) {
    KLIP_ASSIGN_OR_RETURN(ColumnWord column, ParseColumnWord(word));
    columns->push_back({column.family, column.qualifier});
  }
  return {};
}

Expected<Mutation> ParsePut(const std::string& row, const Arguments& arguments) {
  Put put{.row = row};
  for (const std::string& word : Words(arguments.words).subspan(1)) {
    KLIP_ASSIGN_OR_RETURN(ColumnWord column, ParseColumnWord(word));
    put.Add(column.family, column.qualifier.value_or(""), column.value.value_or(""), column.timestamp_ms);
  }
  KLIP_ASSIGN_OR_RETURN(put.timestamp_ms, arguments.Number("ts", kLatestTimestamp));
  KLIP_ASSIGN_OR_RETURN(put.ttl_ms, arguments.Number("ttl", 0));
  KLIP_ASSIGN_OR_RETURN(put.durability, ParseDurability(arguments));
  return Mutation(std::move(put));
}

Expected<Mutation> ParseDelete(std::string_view kind, const std::string& row, const Arguments& arguments) {
  Delete del{.row = row};
  for (const std::string& word : Words(arguments.words).subspan(1)) {
    KLIP_ASSIGN_OR_RETURN(ColumnWord column, ParseColumnWord(word));
    std::string qualifier = column.qualifier.value_or("");
    if (kind == "delete-family") {
      del.AddFamily(column.family, column.timestamp_ms);
    } else if (kind == "delete-family-version") {
      del.AddFamilyVersion(column.family, column.timestamp_ms);
    } else if (kind == "delete-column") {
      del.AddColumns(column.family, qualifier, column.timestamp_ms);
    } else if (kind == "delete-version") {
      del.AddColumn(column.family, qualifier, column.timestamp_ms);
    } else {
      return Syntax("delete-row takes no columns");
    }
  }
  KLIP_ASSIGN_OR_RETURN(del.timestamp_ms, arguments.Number("ts", kLatestTimestamp));
  KLIP_ASSIGN_OR_RETURN(del.durability, ParseDurability(arguments));
  return Mutation(std::move(del));
}

template <typename T>
Status CounterOptions(const Arguments& arguments, T* mutation) {
  if (arguments.Has("time")) {
    KLIP_ASSIGN_OR_RETURN(mutation->time_range, ParseTimeRange(arguments.Text("time")));
  }
  KLIP_ASSIGN_OR_RETURN(mutation->ttl_ms, arguments.Number("ttl", 0));
  KLIP_ASSIGN_OR_RETURN(mutation->durability, ParseDurability(arguments));
  mutation->return_results = !arguments.Has("no-results");
  return {};
}

Expected<Mutation> ParseIncrement(const std::string& row, const Arguments& arguments) {
  Increment increment{.row = row};
  for (const std::string& word : Words(arguments.words).subspan(1)) {
    KLIP_ASSIGN_OR_RETURN(ColumnWord column, ParseColumnWord(word));
    KLIP_ASSIGN_OR_RETURN(int64_t amount, ParseNumber(column.value.value_or("1")));
    increment.Add(column.family, column.qualifier.value_or(""), amount);
  }
  KLIP_RETURN_IF_ERROR(CounterOptions(arguments, &increment));
  return Mutation(std::move(increment));
}

Expected<Mutation> ParseAppend(const std::string& row, const Arguments& arguments) {
  Append append{.row = row};
  for (const std::string& word : Words(arguments.words).subspan(1)) {
    KLIP_ASSIGN_OR_RETURN(ColumnWord column, ParseColumnWord(word));
    append.Add(column.family, column.qualifier.value_or(""), column.value.value_or(""));
  }
  KLIP_RETURN_IF_ERROR(CounterOptions(arguments, &append));
  return Mutation(std::move(append));
}

// Ops between ";" words.
std::vector<Words> SplitOps(Words tokens) {
  std::vector<Words> ops;
  size_t start = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    if (i == tokens.size() || tokens[i] == ";") {
      ops.push_back(tokens.subspan(start, i - start));
      start = i + 1;
    }
  }
  return ops;
}

Expected<RowMutations> ParseRowMutations(const std::string& row, Words tokens) {
  RowMutations mutations{.row = row};
  for (Words op : SplitOps(tokens)) {
    KLIP_ASSIGN_OR_RETURN(Mutation mutation, ParseMutation(op));
    mutations.mutations.push_back(std::move(mutation));
  }
  return mutations;
}

Expected<CheckAndMutate> ParseCheck(Words tokens) {
  if (tokens.size() < 2) {
    return Syntax("check ROW CONDITION then OP");
  }
  CheckAndMutate check{.row = FromStringBinary(tokens[0])};
  Words rest;
  KLIP_ASSIGN_OR_RETURN(check.condition, ParseCondition(tokens.subspan(1), &rest));
  KLIP_ASSIGN_OR_RETURN(RowMutations mutations, ParseRowMutations(check.row, rest));
  if (mutations.mutations.size() == 1) {
    std::visit([&check](auto& mutation) { check.action = std::move(mutation); }, mutations.mutations[0]);
  } else {
    check.action = std::move(mutations);
  }
  return check;
}

Expected<Action> ParseAction(Words tokens) {
  if (tokens.empty()) {
    return Syntax("empty op");
  }
  if (tokens[0] == "get") {
    KLIP_ASSIGN_OR_RETURN(Get get, ParseGet(tokens.subspan(1)));
    return Action(std::move(get));
  }
  if (tokens[0] == "check") {
    KLIP_ASSIGN_OR_RETURN(CheckAndMutate check, ParseCheck(tokens.subspan(1)));
    return Action(std::move(check));
  }
  KLIP_ASSIGN_OR_RETURN(Mutation mutation, ParseMutation(tokens));
  return std::visit([](auto& m) { return Action(std::move(m)); }, mutation);
}

std::string FormatStatus(const Status& status) { return status.ok() ? "" : FormatError(status); }

std::string FormatWritten(const Expected<Result>& result) {
  if (!result.ok()) {
    return FormatError(result.status());
  }
  return result->empty() ? "" : Format(*result);
}

std::string RunMutation(Table& table, const Mutation& mutation) {
  if (const auto* put = std::get_if<Put>(&mutation)) {
    return FormatStatus(table.Put(*put));
  }
  if (const auto* del = std::get_if<Delete>(&mutation)) {
    return FormatStatus(table.Delete(*del));
  }
  if (const auto* increment = std::get_if<Increment>(&mutation)) {
    Expected<Result> result = table.Increment(*increment);
    return result.ok() ? Format(*result) : FormatError(result.status());
  }
  Expected<Result> result = table.Append(std::get<Append>(mutation));
  return result.ok() ? Format(*result) : FormatError(result.status());
}

Expected<std::string> RunScan(Table& table, std::string_view name, Words tokens) {
  std::optional<RowKeySchema> schema = table.row_key_schema();
  KLIP_ASSIGN_OR_RETURN(Scan scan, ParseScan(tokens, schema.has_value() ? &*schema : nullptr));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, table.Scan(scan));
  std::string out;
  Result result;
  int64_t rows = 0;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&result));
    if (!more) {
      break;
    }
    ++rows;
    if (name == "scan") {
      out += Format(result);
    } else if (name == "rows") {
      out += ToStringBinary(result.row()) + "\n";
    }
  }
  if (name == "count") {
    return std::to_string(rows) + "\n";
  }
  return rows == 0 ? "(empty)\n" : out;
}

Expected<std::string> RunBatch(Table& table, Words tokens) {
  std::vector<Action> actions;
  for (Words op : SplitOps(tokens)) {
    KLIP_ASSIGN_OR_RETURN(Action action, ParseAction(op));
    actions.push_back(std::move(action));
  }
  std::string out;
  for (const Expected<Result>& result : table.Batch(actions)) {
    if (!result.ok()) {
      out += FormatError(result.status());
    } else if (!result->empty()) {
      out += Format(*result);
    } else {
      out += result->exists() ? "true\n" : "(empty)\n";
    }
  }
  return out;
}

Expected<std::string> RunCheck(Table& table, Words tokens) {
  KLIP_ASSIGN_OR_RETURN(CheckAndMutate check, ParseCheck(tokens));
  KLIP_ASSIGN_OR_RETURN(CheckAndMutateResult outcome, table.CheckAndMutate(check));
  return std::string(outcome.success ? "true\n" : "false\n") + (outcome.result.empty() ? "" : Format(outcome.result));
}

Expected<std::string> RunMultiGet(Table& table, Words tokens) {
  std::vector<Get> gets;
  for (const std::string& row : tokens) {
    gets.push_back({.row = FromStringBinary(row)});
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<Result> results, table.Get(gets));
  std::string out;
  for (const Result& result : results) {
    out += Format(result);
  }
  return out;
}

Expected<std::string> RunPrepend(Table& table, Words tokens) {
  Arguments arguments = ParseArguments(tokens);
  Prepend prepend;
  for (const std::string& word : arguments.words) {
    KLIP_ASSIGN_OR_RETURN(ColumnWord column, ParseColumnWord(word));
    prepend.columns.push_back({column.family, column.qualifier.value_or(""), column.value.value_or("")});
  }
  if (!prepend.columns.empty()) {
    prepend.family = prepend.columns[0].family;
    prepend.qualifier = prepend.columns[0].qualifier;
  }
  KLIP_ASSIGN_OR_RETURN(int64_t last, arguments.Number("last", kLatestTimestamp));
  prepend.last_key = static_cast<uint64_t>(last);
  KLIP_ASSIGN_OR_RETURN(uint64_t key, table.Prepend(prepend));
  return std::to_string(key) + "\n";
}

Expected<std::string> RunDistinct(Table& table, Words tokens) {
  Arguments arguments = ParseArguments(tokens);
  if (arguments.words.empty()) {
    return Syntax("distinct N");
  }
  KLIP_ASSIGN_OR_RETURN(int64_t fields, ParseNumber(arguments.words[0]));
  KLIP_ASSIGN_OR_RETURN(std::vector<KeyCount> counts,
                        table.DistinctKeys(static_cast<int>(fields), arguments.Has("count")));
  std::string out;
  for (const KeyCount& count : counts) {
    for (const std::string& value : count.values) {
      out += ToStringBinary(value) + " ";
    }
    out += arguments.Has("count") ? std::to_string(count.rows) + "\n" : "\n";
  }
  return out;
}

Expected<std::string> RunEdgeRow(Table& table, bool first) {
  KLIP_ASSIGN_OR_RETURN(Result result, first ? table.FirstRow() : table.LastRow());
  return Format(result);
}

Expected<std::string> RunGet(Table& table, Words tokens, bool exists) {
  KLIP_ASSIGN_OR_RETURN(Get get, ParseGet(tokens));
  if (exists) {
    KLIP_ASSIGN_OR_RETURN(bool found, table.Exists(get));
    return std::string(found ? "true\n" : "false\n");
  }
  KLIP_ASSIGN_OR_RETURN(Result result, table.Get(get));
  if (get.check_existence_only) {
    return std::string(result.exists() ? "exists " : "absent ") + std::to_string(result.size()) + " cells\n";
  }
  return Format(result);
}

Expected<std::string> Run(Table& table, Words tokens) {
  const std::string& name = tokens[0];
  Words rest = tokens.subspan(1);
  if (name == "get" || name == "exists") {
    return RunGet(table, rest, name == "exists");
  }
  if (name == "multi-get") {
    return RunMultiGet(table, rest);
  }
  if (name == "scan" || name == "rows" || name == "count") {
    return RunScan(table, name, rest);
  }
  if (name == "batch") {
    return RunBatch(table, rest);
  }
  if (name == "check") {
    return RunCheck(table, rest);
  }
  if (name == "first" || name == "last") {
    return RunEdgeRow(table, name == "first");
  }
  if (name == "prepend") {
    return RunPrepend(table, rest);
  }
  if (name == "distinct") {
    return RunDistinct(table, rest);
  }
  if (name == "mutate" && !rest.empty()) {
    KLIP_ASSIGN_OR_RETURN(RowMutations mutations, ParseRowMutations(FromStringBinary(rest[0]), rest.subspan(1)));
    return FormatWritten(table.Mutate(mutations));
  }
  KLIP_ASSIGN_OR_RETURN(Mutation mutation, ParseMutation(tokens));
  return RunMutation(table, mutation);
}

}  // namespace

std::vector<std::string> Tokens(std::string_view line) {
  std::vector<std::string> tokens;
  bool quoted = false;
  bool open = false;
  for (char byte : line) {
    if (byte == '"') {
      quoted = !quoted;
      if (!open) {
        tokens.emplace_back();
        open = true;
      }
    } else if (byte == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) {
        tokens.emplace_back();
        open = true;
      }
      tokens.back().push_back(byte);
    }
  }
  return tokens;
}

std::string Arguments::Text(const std::string& name, std::string otherwise) const {
  auto it = options.find(name);
  return it == options.end() ? std::move(otherwise) : it->second;
}

Expected<int64_t> Arguments::Number(const std::string& name, int64_t otherwise) const {
  auto it = options.find(name);
  return it == options.end() ? Expected<int64_t>(otherwise) : ParseNumber(it->second);
}

Arguments ParseArguments(std::span<const std::string> tokens) {
  Arguments arguments;
  for (const std::string& token : tokens) {
    std::string name = token.substr(0, token.find('='));
    std::string stem = name.substr(0, name.find(':'));
    bool option = std::ranges::find(kOptions, name) != kOptions.end() || (stem == "time" && stem != name);
    if (option) {
      arguments.options[name] = name.size() < token.size() ? token.substr(name.size() + 1) : "";
    } else {
      arguments.words.push_back(token);
    }
  }
  return arguments;
}

Expected<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Syntax("not a number: " + std::string(text));
  }
  return value;
}

Expected<ColumnWord> ParseColumnWord(std::string_view word) {
  ColumnWord column;
  if (size_t equals = word.find('='); equals != std::string_view::npos) {
    column.value = FromStringBinary(word.substr(equals + 1));
    word = word.substr(0, equals);
  }
  if (size_t at = word.rfind('@'); at != std::string_view::npos) {
    KLIP_ASSIGN_OR_RETURN(column.timestamp_ms, ParseNumber(word.substr(at + 1)));
    word = word.substr(0, at);
  }
  size_t colon = word.find(':');
  column.family = FromStringBinary(word.substr(0, colon));
  if (colon != std::string_view::npos) {
    column.qualifier = FromStringBinary(word.substr(colon + 1));
  }
  return column;
}

Expected<Mutation> ParseMutation(std::span<const std::string> tokens) {
  if (tokens.size() < 2) {
    return Syntax("expected an op and a row");
  }
  const std::string& name = tokens[0];
  Arguments arguments = ParseArguments(tokens.subspan(1));
  std::string row = arguments.words.empty() ? "" : FromStringBinary(arguments.words[0]);
  if (arguments.words.empty()) {
    return Syntax("no row");
  }
  if (name == "put") {
    return ParsePut(row, arguments);
  }
  if (name.starts_with("delete-")) {
    return ParseDelete(name, row, arguments);
  }
  if (name == "increment") {
    return ParseIncrement(row, arguments);
  }
  if (name == "append") {
    return ParseAppend(row, arguments);
  }
  return Syntax("unknown op " + name);
}

Expected<std::vector<Put>> ParsePuts(std::span<const std::string> tokens) {
  std::vector<Put> puts;
  for (const Words op : SplitOps(tokens)) {
    KLIP_ASSIGN_OR_RETURN(Mutation mutation, ParseMutation(op));
    Put* const put = std::get_if<Put>(&mutation);
    if (put == nullptr) {
      return Syntax("load put ROW ... ; put ROW ...");
    }
    puts.push_back(std::move(*put));
  }
  std::ranges::sort(puts, {}, &Put::row);
  return puts;
}

Expected<Get> ParseGet(std::span<const std::string> tokens) {
  Arguments arguments = ParseArguments(tokens);
  if (arguments.words.empty()) {
    return Syntax("get ROW");
  }
  Get get{.row = FromStringBinary(arguments.words[0])};
  KLIP_RETURN_IF_ERROR(ReadColumns(Words(arguments.words).subspan(1), &get.columns));
  KLIP_RETURN_IF_ERROR(ReadOptions(arguments, &get));
  get.check_existence_only = arguments.Has("existence");
  return get;
}

Expected<Scan> ParseScan(std::span<const std::string> tokens, const RowKeySchema* schema) {
  Arguments arguments = ParseArguments(tokens);
  Scan scan;
  if (arguments.Has("prefix")) {
    scan = Scan::Prefix(FromStringBinary(arguments.Text("prefix")));
  }
  KLIP_RETURN_IF_ERROR(ReadColumns(arguments.words, &scan.columns));
  KLIP_RETURN_IF_ERROR(ReadOptions(arguments, &scan));
  if (arguments.Has("start") || arguments.Has("start-after")) {
    scan.include_start = arguments.Has("start");
    scan.start_row = FromStringBinary(arguments.Text("start") + arguments.Text("start-after"));
  }
  if (arguments.Has("stop") || arguments.Has("stop-at")) {
    scan.include_stop = arguments.Has("stop-at");
    scan.stop_row = FromStringBinary(arguments.Text("stop") + arguments.Text("stop-at"));
  }
  scan.reversed = arguments.Has("reversed");
  scan.raw = arguments.Has("raw");
  KLIP_ASSIGN_OR_RETURN(scan.limit_rows, arguments.Number("limit", 0));
  KLIP_ASSIGN_OR_RETURN(int64_t batch, arguments.Number("batch", 0));
  scan.batch = static_cast<int32_t>(batch);
  KLIP_ASSIGN_OR_RETURN(scan.max_result_bytes, arguments.Number("partial", 0));
  scan.allow_partial_results = arguments.Has("partial");
  KLIP_ASSIGN_OR_RETURN(int64_t threads, arguments.Number("threads", 1));
  scan.threads = static_cast<int32_t>(threads);
  if (arguments.Has("where")) {
    if (schema == nullptr) {
      return Syntax("where needs a table with a schema");
    }
    KLIP_ASSIGN_OR_RETURN(scan.where, schema->ParseQuery(arguments.Text("where")));
  }
  return scan;
}

Expected<RowCondition> ParseCondition(std::span<const std::string> tokens, std::span<const std::string>* rest) {
  auto then = std::ranges::find(tokens, "then");
  *rest = then == tokens.end() ? Words() : Words(then + 1, tokens.end());
  Arguments arguments = ParseArguments(Words(tokens.begin(), then));
  RowCondition condition;
  if (arguments.Has("time")) {
    KLIP_ASSIGN_OR_RETURN(condition.time_range, ParseTimeRange(arguments.Text("time")));
  }
  if (arguments.Has("filter")) {
    KLIP_ASSIGN_OR_RETURN(condition.filter, ParseFilterText(arguments.Text("filter")));
    return condition;
  }
  if (arguments.words.empty()) {
    return condition;
  }
  KLIP_ASSIGN_OR_RETURN(ColumnWord column, ParseColumnWord(arguments.words[0]));
  TimeRange range = condition.time_range;
  condition = RowCondition::IfNotExists(column.family, column.qualifier.value_or(""));
  condition.time_range = range;
  if (arguments.words.size() >= 2 && arguments.words[1] != "absent") {
    KLIP_ASSIGN_OR_RETURN(condition.op, ParseCompareOp(arguments.words[1]));
    condition.value = arguments.words.size() > 2 ? FromStringBinary(arguments.words[2]) : "";
  }
  return condition;
}

std::string Format(const Result& result) {
  if (result.empty()) {
    return "(empty)\n";
  }
  std::string out = ToStringBinary(result.row());
  for (const Cell& cell : result) {
    out += " " + ToStringBinary(cell.family) + ":" + ToStringBinary(cell.qualifier) + "@" +
           std::to_string(cell.timestamp_ms);
    switch (cell.type) {
      case CellType::kPut:
        out += "=" + ToStringBinary(cell.value);
        break;
      case CellType::kDelete:
        out += "/Delete";
        break;
      case CellType::kDeleteFamilyVersion:
        out += "/DeleteFamilyVersion";
        break;
      case CellType::kDeleteColumn:
        out += "/DeleteColumn";
        break;
      case CellType::kDeleteFamily:
        out += "/DeleteFamily";
        break;
    }
    if (cell.row != result.row()) {
      out += "!row=" + ToStringBinary(cell.row);
    }
  }
  return out + (result.has_more_cells_in_row() ? " ++\n" : "\n");
}

std::string FormatError(const Status& status) {
  std::string text = status.ToString();
  std::ranges::replace(text, '\n', ' ');
  return "error " + text + "\n";
}

bool IsTableOp(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "put",           "delete-row",     "delete-family", "delete-family-version",
      "delete-column", "delete-version", "increment",     "append",
      "mutate",        "batch",          "check",         "get",
      "exists",        "multi-get",      "scan",          "rows",
      "count",         "first",          "last",          "prepend",
      "distinct"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::string RunTableOp(Table& table, std::span<const std::string> tokens) {
  Expected<std::string> out = Run(table, tokens);
  return out.ok() ? *out : FormatError(out.status());
}

}  // namespace klip::ops
