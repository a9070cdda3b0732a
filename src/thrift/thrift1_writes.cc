// Thrift1Handler: writing.
#include <algorithm>
#include <chrono>
#include <thread>

#include "klip/bytes.h"
#include "thrift/attributes.h"
#include "thrift/thrift1_convert.h"
#include "thrift/thrift1_handler.h"

namespace klip::thrift {
namespace {

// A column whose qualifier is optional.
std::string QualifierOrEmpty(ColumnSpec* column) { return std::move(column->qualifier).value_or(std::string()); }

ColumnSpec NeedsQualifier(std::string_view text) {
  ColumnSpec column = ParseColumn(text);
  if (!column.qualifier) {
    CheckArguments(Status(Code::kInvalidArgument, "no qualifier in column '" + ToStringBinary(text) + "'"));
  }
  return column;
}

// Each step of a counter is at least a millisecond newer than the previous one, so quick steps run ahead of the clock,
// and a later put or delete would be hidden (happybase's counter_set). So the answer waits until the clock has passed the
// step: a counter makes at most a thousand steps a second. If the store uses another clock, the wait is limited.
void WaitUntilPast(const Result& step) {
  constexpr std::chrono::milliseconds kLongestWait(100);
  std::chrono::system_clock::time_point past{};
  for (const Cell& cell : step) {
    past = std::max(past, std::chrono::system_clock::time_point(std::chrono::milliseconds(cell.timestamp_ms)));
  }
  // By a clock that nobody sets meanwhile.
  const auto ahead =
      std::min<std::chrono::system_clock::duration>(past - std::chrono::system_clock::now(), kLongestWait);
  std::this_thread::sleep_until(std::chrono::steady_clock::now() + ahead);
}

}  // namespace

void Thrift1Handler::mutateRow(Text table, Text row, const std::vector<thrift1::Mutation>& mutations,
                               Attributes attributes) {
  mutateRowTs(table, row, mutations, kLatestTimestamp, attributes);
}

// First the delete, then the put.
void Thrift1Handler::mutateRowTs(Text table, Text row, const std::vector<thrift1::Mutation>& mutations,
                                 int64_t timestamp_ms, Attributes attributes) {
  RowChange change =
      CheckArguments(RowChangeFrom(row, mutations, timestamp_ms, attributes, /*families_are_errors=*/false));
  auto open = OpenTable(table);
  if (!change.del.markers.empty()) {
    CheckArguments(open->Delete(change.del));
  }
  if (!change.put.columns.empty()) {
    CheckArguments(open->Put(change.put));
  }
}

void Thrift1Handler::mutateRows(Text table, const std::vector<thrift1::BatchMutation>& rows, Attributes attributes) {
  mutateRowsTs(table, rows, kLatestTimestamp, attributes);
}

void Thrift1Handler::mutateRowsTs(Text table, const std::vector<thrift1::BatchMutation>& rows, int64_t timestamp_ms,
                                  Attributes attributes) {
  std::vector<Put> puts;
  std::vector<Action> deletes;
  for (const thrift1::BatchMutation& row : rows) {
    RowChange change =
        CheckArguments(RowChangeFrom(row.row, row.mutations, timestamp_ms, attributes, /*families_are_errors=*/true));
    if (!change.put.columns.empty()) {
      puts.push_back(std::move(change.put));
    }
    if (!change.del.markers.empty()) {
      deletes.push_back(std::move(change.del));
    }
  }
  auto open = OpenTable(table);
  if (!puts.empty()) {
    CheckArguments(open->Put(puts));
  }
  if (!deletes.empty()) {
    for (const Expected<Result>& outcome : open->Batch(deletes)) {
      CheckArguments(outcome.status());
    }
  }
}

int64_t Thrift1Handler::atomicIncrement(Text table, Text row, Text column, int64_t amount) {
  ColumnSpec target = ParseColumn(column);
  std::string qualifier = QualifierOrEmpty(&target);
  Increment increment{.row = row};
  increment.Add(std::move(target.family), std::move(qualifier), amount);
  Result result = CheckArguments(OpenTable(table)->Increment(increment));
  if (result.size() != 1 || result[0].value.size() != sizeof(int64_t)) {
    Check(Status(Code::kIoError, "an increment of one column did not return one counter"));
  }
  WaitUntilPast(result);
  return ReadBigEndian<int64_t>(result[0].value.data());
}

void Thrift1Handler::increment(const thrift1::TIncrement& increment) {
  if (increment.row.empty() || increment.table.empty()) {
    throw BadArgument("Must supply a table and a row key; can't increment");
  }
  ColumnSpec column = NeedsQualifier(increment.column);
  Increment one{.row = increment.row};
  one.Add(std::move(column.family), *std::move(column.qualifier), increment.ammount);
  WaitUntilPast(Check(OpenTable(increment.table)->Increment(one)));
}

void Thrift1Handler::incrementRows(const std::vector<thrift1::TIncrement>& increments) {
  for (const thrift1::TIncrement& one : increments) {
    increment(one);
  }
}

void Thrift1Handler::append(Cells& cells, const thrift1::TAppend& append) {
  if (append.row.empty() || append.table.empty()) {
    throw BadArgument("Must supply a table and a row key; can't append");
  }
  if (append.columns.size() != append.values.size()) {
    throw BadArgument("Sizes of columns and values in tappend object are not matching");
  }
  Append one{.row = append.row};
  for (size_t i = 0; i < append.columns.size(); ++i) {
    ColumnSpec column = NeedsQualifier(append.columns[i]);
    one.Add(std::move(column.family), *std::move(column.qualifier), append.values[i]);
  }
  const Result result = Check(OpenTable(append.table)->Append(one));
  AppendCells(result, &cells);
  WaitUntilPast(result);
}

bool Thrift1Handler::checkAndPut(Text table, Text row, Text column, Text value, const thrift1::Mutation& mutation,
                                 Attributes attributes) {
  ColumnSpec checked = NeedsQualifier(column);
  ColumnSpec written = NeedsQualifier(mutation.column);
  Put put{.row = row,
          .ttl_ms = TtlFrom(attributes),
          .durability = mutation.writeToWAL ? Durability::kSyncWal : Durability::kSkipWal,
          .attributes = OthersFrom(attributes)};
  put.Add(std::move(written.family), *std::move(written.qualifier), mutation.value);
  // A missing value arrives as the empty one, which also stands for a missing column.
  CheckAndMutate check{
      .row = row,
      .condition = RowCondition::IfEquals(std::move(checked.family), *std::move(checked.qualifier), value),
      .action = std::move(put)};
  return CheckArguments(OpenTable(table)->CheckAndMutate(check)).success;
}

void Thrift1Handler::deleteAll(Text table, Text row, Text column, Attributes attributes) {
  deleteAllTs(table, row, column, kLatestTimestamp, attributes);
}

void Thrift1Handler::deleteAllTs(Text table, Text row, Text column, int64_t timestamp_ms, Attributes attributes) {
  ColumnSpec target = ParseColumn(column);
  Delete del{.row = row, .attributes = OthersFrom(attributes)};
  if (target.qualifier) {
    del.AddColumns(std::move(target.family), *std::move(target.qualifier), timestamp_ms);
  } else {
    del.AddFamily(std::move(target.family), timestamp_ms);
  }
  Check(OpenTable(table)->Delete(del));
}

void Thrift1Handler::deleteAllRow(Text table, Text row, Attributes attributes) {
  deleteAllRowTs(table, row, kLatestTimestamp, attributes);
}

void Thrift1Handler::deleteAllRowTs(Text table, Text row, int64_t timestamp_ms, Attributes attributes) {
  Delete del{.row = row, .timestamp_ms = timestamp_ms, .attributes = OthersFrom(attributes)};
  Check(OpenTable(table)->Delete(del));
}

}  // namespace klip::thrift
