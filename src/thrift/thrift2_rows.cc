// Thrift2Handler: reading, writing and scanning rows.
#include "base/read_memory.h"
#include "thrift/thrift2_convert.h"
#include "thrift/thrift2_handler.h"

namespace klip::thrift {
namespace {

// HBase's text, which differs from Thrift1's.
[[noreturn]] void ThrowUnknownScanner() {
  thrift2::TIllegalArgument error;
  error.__set_message("Invalid scanner Id");
  throw error;
}

// Up to `count` results, fewer if they are large: clients continue until there are none.
Status Read(ResultScanner* scanner, int32_t count, std::vector<thrift2::TResult>* results) {
  constexpr size_t kMaxAnswerBytes = 64 << 20;
  Result result;
  size_t bytes = 0;
  for (int32_t i = 0; i < count && bytes < kMaxAnswerBytes; ++i) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&result));
    if (!more) {
      break;
    }
    for (const Cell& cell : result) {
      bytes += cell.family.size() + cell.qualifier.size() + cell.value.size();
    }
    KLIP_RETURN_IF_ERROR(base::HoldAnswer(bytes));
    results->push_back(ResultOf(result));
  }
  return Status::Ok();
}

std::vector<Get> GetsFrom(const std::vector<thrift2::TGet>& gets) {
  std::vector<Get> out;
  out.reserve(gets.size());
  for (const thrift2::TGet& get : gets) {
    out.push_back(Check2(GetFrom(get)));
  }
  return out;
}

}  // namespace

std::unique_ptr<Table> Thrift2Handler::OpenTable(Text name) const { return Check2(connection_->GetTable(name)); }

bool Thrift2Handler::exists(Text table, const thrift2::TGet& get) {
  return Check2(OpenTable(table)->Exists(Check2(GetFrom(get))));
}

void Thrift2Handler::existsAll(std::vector<bool>& found, Text table, const std::vector<thrift2::TGet>& gets) {
  std::vector<Get> all = GetsFrom(gets);
  for (Get& get : all) {
    get.check_existence_only = true;
  }
  for (const Result& result : Check2(OpenTable(table)->Get(all))) {
    found.push_back(result.exists());
  }
}

void Thrift2Handler::get(thrift2::TResult& result, Text table, const thrift2::TGet& get) {
  result = ResultOf(Check2(OpenTable(table)->Get(Check2(GetFrom(get)))));
}

void Thrift2Handler::getMultiple(Results& results, Text table, const std::vector<thrift2::TGet>& gets) {
  for (const Result& result : Check2(OpenTable(table)->Get(GetsFrom(gets)))) {
    results.push_back(ResultOf(result));
  }
}

void Thrift2Handler::put(Text table, const thrift2::TPut& put) { Check2(OpenTable(table)->Put(PutFrom(put))); }

bool Thrift2Handler::checkAndPut(Text table, Text row, Text family, Text qualifier, Text value,
                                 const thrift2::TPut& put) {
  // A missing value arrives as the empty one, which also stands for a missing column.
  CheckAndMutate check{
      .row = row, .condition = RowCondition::IfEquals(family, qualifier, value), .action = PutFrom(put)};
  return Check2(OpenTable(table)->CheckAndMutate(check)).success;
}

void Thrift2Handler::putMultiple(Text table, const std::vector<thrift2::TPut>& puts) {
  std::vector<Put> all;
  all.reserve(puts.size());
  for (const thrift2::TPut& put : puts) {
    all.push_back(PutFrom(put));
  }
  Check2(OpenTable(table)->Put(all));
}

void Thrift2Handler::deleteSingle(Text table, const thrift2::TDelete& del) {
  Check2(OpenTable(table)->Delete(Check2(DeleteFrom(del))));
}

void Thrift2Handler::deleteMultiple(std::vector<thrift2::TDelete>&, Text table,
                                    const std::vector<thrift2::TDelete>& deletes) {
  std::vector<Action> actions;
  for (const thrift2::TDelete& del : deletes) {
    actions.push_back(Check2(DeleteFrom(del)));
  }
  for (const Expected<Result>& outcome : OpenTable(table)->Batch(actions)) {
    Check2(outcome.status());
  }
}

bool Thrift2Handler::checkAndDelete(Text table, Text row, Text family, Text qualifier, Text value,
                                    const thrift2::TDelete& del) {
  CheckAndMutate check{
      .row = row, .condition = RowCondition::IfEquals(family, qualifier, value), .action = Check2(DeleteFrom(del))};
  return Check2(OpenTable(table)->CheckAndMutate(check)).success;
}

void Thrift2Handler::increment(thrift2::TResult& result, Text table, const thrift2::TIncrement& increment) {
  result = ResultOf(Check2(OpenTable(table)->Increment(IncrementFrom(increment))));
}

void Thrift2Handler::append(thrift2::TResult& result, Text table, const thrift2::TAppend& append) {
  result = ResultOf(Check2(OpenTable(table)->Append(AppendFrom(append))));
}

void Thrift2Handler::mutateRow(Text table, const thrift2::TRowMutations& mutations) {
  Check2(OpenTable(table)->Mutate(Check2(RowMutationsFrom(mutations))));
}

bool Thrift2Handler::checkAndMutate(Text table, Text row, Text family, Text qualifier,
                                    thrift2::TCompareOperator::type op, Text value,
                                    const thrift2::TRowMutations& mutations) {
  RowCondition condition = RowCondition::IfEquals(family, qualifier, value);
  condition.op = CompareOpFrom(op);
  CheckAndMutate check{.row = row, .condition = std::move(condition), .action = Check2(RowMutationsFrom(mutations))};
  return Check2(OpenTable(table)->CheckAndMutate(check)).success;
}

int32_t Thrift2Handler::openScanner(Text table, const thrift2::TScan& scan) {
  return Check2(Open(scanners_, connection_, table, Check2(ScanFrom(scan)), /*sort_columns=*/false));
}

void Thrift2Handler::getScannerRows(Results& results, int32_t id, int32_t count) {
  std::shared_ptr<OpenScanner> scanner = scanners_->Find(id);
  if (scanner == nullptr) {
    ThrowUnknownScanner();
  }
  std::lock_guard lock(scanner->mutex);
  CheckArguments2(Read(scanner->rows.get(), count, &results));
}

// A missing scanner may have expired, which is not an error here.
void Thrift2Handler::closeScanner(int32_t id) { (void)scanners_->Close(id); }

void Thrift2Handler::getScannerResults(Results& results, Text table, const thrift2::TScan& from, int32_t count) {
  Scan scan = Check2(ScanFrom(from));
  auto open = OpenTable(table);
  auto scanner = Check2(open->Scan(scan));
  Check2(Read(scanner.get(), count, &results));
}

}  // namespace klip::thrift
