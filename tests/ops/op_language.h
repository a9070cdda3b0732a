// The op language: one line is one operation on a table. Golden files, the model test and the crash test share it.
// Runners for other HBase clients can implement all of it.
//
//   put ROW f:q[@TS]=VALUE ... [ts=] [ttl=] [durability=]
//   delete-row ROW [ts=]             delete-family ROW f[@TS] ...     delete-family-version ROW f@TS ...
//   delete-column ROW f:q[@TS] ...   delete-version ROW f:q[@TS] ...
//   increment ROW f:q=N ...          append ROW f:q=VALUE ...         [no-results] [time=]
//   mutate ROW OP ; OP ; ...         batch OP ; OP ; ...
//   check ROW f:q absent|<|<=|=|!=|>=|> [VALUE] [time=] then OP [; OP]      check ROW filter=F then OP
//   get ROW [f | f:q] ...            exists ROW ...                   multi-get ROW ROW ...
//   scan | rows | count [f | f:q] ... [start=] [start-after=] [stop=] [stop-at=] [prefix=] [reversed] [limit=] [batch=]
//        [partial=BYTES] [raw] [versions=N|all] [time=A..B] [time:f=A..B] [per-family=N] [offset=N] [filter=] [where=]
//        [threads=]
//   first | last | prepend f:q=VALUE ... last=N | distinct N [count]
//
// Bytes are written as HBase's toStringBinary; "..." protects blanks. An op prints a line per Result, "row f:q@ts=value ...",
// with "++" at its end when the row has more cells; nothing when there is nothing to say; and errors as "error Code: message".
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::ops {

// An op line cut at blanks, with "..." taken off.
std::vector<std::string> Tokens(std::string_view line);

// What stands behind the name of an op: words, and option=value pairs (flags have an empty value).
struct Arguments {
  std::vector<std::string> words;
  std::map<std::string, std::string> options;

  bool Has(const std::string& name) const { return options.contains(name); }
  std::string Text(const std::string& name, std::string otherwise = {}) const;
  Expected<int64_t> Number(const std::string& name, int64_t otherwise) const;
};
Arguments ParseArguments(std::span<const std::string> tokens);

// "f", "f:q", "f:q@5", "f:q@5=value"; parts are unescaped.
struct ColumnWord {
  std::string family;
  std::optional<std::string> qualifier;
  int64_t timestamp_ms = kLatestTimestamp;
  std::optional<std::string> value;
};
Expected<ColumnWord> ParseColumnWord(std::string_view word);
Expected<int64_t> ParseNumber(std::string_view text);

Expected<Mutation> ParseMutation(std::span<const std::string> tokens);
// "put ROW ... ; put ROW ...", sorted by row, for a bulk load.
Expected<std::vector<Put>> ParsePuts(std::span<const std::string> tokens);
Expected<Get> ParseGet(std::span<const std::string> tokens);  // from the row on
// `schema` serves where=; may be null.
Expected<Scan> ParseScan(std::span<const std::string> tokens, const RowKeySchema* schema);
// "f:q = VALUE", "f:q absent", "filter=..."; `rest` gets what follows "then".
Expected<RowCondition> ParseCondition(std::span<const std::string> tokens, std::span<const std::string>* rest);

// "row f:q@ts=value ...\n"; "(empty)\n" when there are no cells.
std::string Format(const Result& result);
std::string FormatError(const Status& status);

// True when `name` is an op of the list above.
bool IsTableOp(std::string_view name);

// Runs a table op and returns what it prints.
std::string RunTableOp(Table& table, std::span<const std::string> tokens);

inline constexpr std::string_view kSyntaxError = "op syntax: ";
Status Syntax(std::string_view what);  // kInvalidArgument

}  // namespace klip::ops
